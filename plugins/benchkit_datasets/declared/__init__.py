"""What the plugin declares, by use. Nothing here imports a loader."""
