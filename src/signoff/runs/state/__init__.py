"""Which flow a run follows, its views, its open halts, its waivers."""
