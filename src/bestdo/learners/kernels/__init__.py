"""Loops of learners that are compiled when bestdo is built, because arrays cannot express them fast enough."""
