"""The model layer; the only module that knows litellm."""
