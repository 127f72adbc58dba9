"""Exports, imports, and ingestion of conversations."""

from combray.transfer.conversations import IngestReport, ingest
from combray.transfer.exports import export_to
from combray.transfer.formats import read_file
from combray.transfer.imports import import_from
from combray.transfer.parser import ImportReport, Problem
from combray.transfer.sources import ConversationFile, read_conversations
from combray.transfer.turns import Turn
from combray.transfer.uploads import Sample, UploadReport, import_bytes

__all__ = [
    "ConversationFile",
    "ImportReport",
    "IngestReport",
    "Problem",
    "Sample",
    "Turn",
    "UploadReport",
    "export_to",
    "import_bytes",
    "import_from",
    "ingest",
    "read_conversations",
    "read_file",
]
