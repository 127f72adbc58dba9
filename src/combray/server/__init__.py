"""Memory over HTTP: `combray serve`. Made from `verbs/`, over the engine. Requires the extra `server`."""
