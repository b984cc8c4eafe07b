"""The version of the SDK."""

VERSION = "0.1.0"
SDK_VERSION = f"python/{VERSION}"
