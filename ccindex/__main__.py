"""Run ccindex with `python -m ccindex`."""

from ccindex.cli import main

if __name__ == "__main__":
    main()
