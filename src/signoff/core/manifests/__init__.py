"""The files in which projects say what they depend on, and what a change did to them. Pure.

`comparing` is what others call; the other modules read one family of formats each.
"""
