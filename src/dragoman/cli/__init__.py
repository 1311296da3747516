"""The command line: `dragoman init | ask | serve | doctor`."""
