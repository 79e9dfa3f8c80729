"""The verbs of a study: what changes it, each as a value that is carried out here or sent to a server."""
