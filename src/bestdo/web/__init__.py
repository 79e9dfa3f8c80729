"""The page: studies in a browser, and the same verbs as a JSON interface; it calls the functions that the commands call."""
