"""The files in which projects say what they depend on, and what a change did to them. Pure.

Other packages call `comparing`. The other modules read one family of formats each.
"""
