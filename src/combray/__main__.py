"""`python -m combray`: the shell."""

from combray.interfaces.cli import main

if __name__ == "__main__":
    main()
