"""The page: the same studies in a browser, and the same verbs as a JSON interface. Thin: it calls what the commands call."""
