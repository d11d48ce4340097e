"""Abbreviations of English and Bulgarian policy and law text, by what a full stop behind them means.

All in lower case and without the last full stop.
"""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: A name or an explanation follows: the sentence goes on, whatever comes. Behind a number they are units ("500 гр.") and may
#: end one.
NEVER_END = _words(
    "mr mrs ms mx dr prof st hon rev'd messrs v vs cf viz e.g i.e eg ie approx incl excl esp resp a.k.a "
    "т.е т.нар нар напр вж срв съгл обн изм доп отм попр проф доц инж акад св ул бул гр кв жк ж.к обл общ гл.ас арх адв"
)

#: A number, a numeral or a letter may follow, and then the sentence goes on; before a capitalised word they end it.
NUMBERED = _words(
    "no nos nr art arts sec secs sect fig figs ch chap p pp par para paras vol rev ver ed eq "
    "tab app cl reg regs sched schs sch ext tel "
    "item items ref refs max min jan feb mar apr jun jul aug sep sept oct nov dec rs eur usd inr "
    "чл ал т тт бр стр гл пар изр разд прил пост разп реш рег ид вх изх тел б ред изд дв табл фиг "
    "яну фев апр авг септ окт ноем дек"
)

#: Ends a sentence only where the next one begins with a capital.
MAY_END = _words(
    "etc inc ltd co corp llc jr sr dept est u.s u.k e.u a.m p.m am pm hr hrs mins secs ft sq oz lb lbs kg km cm mm "
    "г гг лв ст хил млн млрд др т.н пр ч мин сек кг км см мм кв.м куб еоод оод ад в в.ч"
)

#: Names that others follow: the U.S. Department. A capital behind one begins a sentence only in a word of ``OPENERS``.
NAMES = _words("u.s u.k e.u u.n u.s.a u.a.e d.c")

#: Words with which sentences begin and names do not.
OPENERS = _words(
    "the this that these those it its they their there he she we our you your i my if when where while whether because although "
    "though since until unless after before as at by for from in into on upon to of with without within during under despite "
    "a an any all both each every either neither no not none some many most much such other another "
    "what which who whose how why and but or nor so yet also however therefore thus otherwise moreover furthermore instead "
    "do does did is are was were has have had can could should would must shall please see only here then now once"
)

#: What a single capital letter may name: "Plan B." ends a sentence, "J." before a surname does not.
LETTERED = _words(
    "plan class type grade appendix annex schedule form vitamin option group tier level part section category zone model "
    "series exhibit table row column clause rating size hepatitis "
    "план клас тип приложение група ниво част раздел категория зона модел серия буква вариант таблица"
)

#: "U.S", "e.g", "т.н": letters with full stops between them.
DOTTED_INSIDE = re.compile(r"(?:[^\W\d_]{1,3}\.)+[^\W\d_]{1,3}")
