"""Tables and pictures from values; nothing here computes."""
