"""Conversations as clients and chats keep them: files, folders, archives and databases, which are only read."""
