"""`python -m bestdo` is the command line."""

from bestdo.cli import main

main()
