"""SiliconFlow: Jina's request; tokens are counted under "meta".

The Chinese site is `siliconflow:MODEL@https://api.siliconflow.cn/v1`.
"""

from __future__ import annotations

from combray.models.rerankers.jina import body
from combray.models.rerankers.posted import Format
from combray.models.services import Service

SERVICE = Service(
    "siliconflow",
    "https://api.siliconflow.com/v1",
    model="BAAI/bge-reranker-v2-m3",
    key_variable="SILICONFLOW_API_KEY",
)
FORMAT = Format("/rerank", body, tokens=("total_tokens", "input_tokens", "output_tokens"))
