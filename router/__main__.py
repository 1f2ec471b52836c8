"""`python -m router` is the command line."""

from router.cli import main

main()
