"""The rare word of a Chinese or Japanese question decides, not its common characters (EverMind-AI/EverOS#378)."""

from __future__ import annotations

import pytest

import combray

CHINESE = [
    "我每年春天都去约塞米蒂攀岩。",
    "我最喜欢的咖啡店在鼓楼旁边。",
    "我喜欢在阳台上看书。",
    "我弟弟在成都学吉他。",
    "我们在周末喜欢去公园野餐。",
    "我的自行车放在地下室里。",
    "妈妈每天早上在厨房做早饭。",
    "我觉得这家书店很安静。",
    "他在图书馆工作了十年。",
    "我们家的猫不喜欢下雨天。",
    "我表妹去年开始学滑雪。",
    "冰箱的保修单在蓝色文件夹里。",
]
JAPANESE = [
    "私は毎年春にヨセミテで登攀をします。",
    "私の好きな喫茶店は駅の隣にあります。",
    "私はベランダで本を読むのが好きです。",
    "弟は京都で尺八を習っています。",
    "週末は公園でお弁当を食べるのが好きです。",
    "自転車は地下室に置いてあります。",
    "冷蔵庫の保証書は青いファイルの中です。",
    "母は毎朝台所で朝ごはんを作ります。",
]


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize(
    ("texts", "question", "answer"),
    [
        (CHINESE[:5], "我喜欢在哪里攀岩？", CHINESE[0]),
        (CHINESE[:5], "我在哪里攀岩？", CHINESE[0]),
        (CHINESE, "我喜欢在哪里攀岩？", CHINESE[0]),
        (CHINESE, "我们在哪里可以找到保修单？", CHINESE[11]),
        (CHINESE, "我喜欢把自行车放在哪里？", CHINESE[5]),
        (CHINESE, "我弟弟喜欢学什么吉他？", CHINESE[3]),
        (CHINESE, "我喜欢的野餐在什么地方？", CHINESE[4]),
        (CHINESE, "我们家里谁喜欢滑雪？", CHINESE[10]),
        (CHINESE, "我每天在哪里吃早饭？", CHINESE[6]),
        (CHINESE, "我喜欢的书店怎么样？", CHINESE[7]),
        (CHINESE, "谁在图书馆里工作？", CHINESE[8]),
        (JAPANESE, "私はどこで登攀をするのが好きですか？", JAPANESE[0]),
        (JAPANESE, "弟が好きな尺八はどこで習っていますか？", JAPANESE[3]),
        (JAPANESE, "私の好きな自転車はどこにありますか？", JAPANESE[5]),
        (JAPANESE, "私の好きなファイルに保証書はありますか？", JAPANESE[6]),
    ],
)
def test_the_memory_with_the_rare_word_is_first(
    texts: list[str], question: str, answer: str, embedder: str
) -> None:
    with combray.open(":memory:", embedder=embedder) as engine:
        engine.remember_many(texts)
        assert [hit.memory.content for hit in engine.recall(question)][:1] == [answer]
