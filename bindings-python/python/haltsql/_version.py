"""What this package was made for; ``_load`` compares it with what the extension module says."""

__version__ = "0.1.0"
ABI_VERSION = 1
