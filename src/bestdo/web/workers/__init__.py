"""Child processes of the server: checks of what people send, and rehearsals."""
