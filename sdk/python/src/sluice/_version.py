"""What the SDK calls itself."""

VERSION = "0.1.0"
SDK_VERSION = f"python/{VERSION}"
