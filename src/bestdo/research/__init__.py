"""The field beside the library: learners of the literature, their worlds, figures, and the suite with its archive.

Nothing else imports this room; its parts are loaded when they are asked for by name.
"""
