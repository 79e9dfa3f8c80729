"""The vocabulary of the game: values and protocols, no algorithms."""
