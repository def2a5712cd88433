#!/bin/sh
# Prints what no reader expects: bytes that are no UTF-8, NUL, broken JSON, broken RTF1, escape sequences, half a character last.
cat >/dev/null
printf 'good line\n'
printf '\377\376\200 not text \000 and a NUL\n'
printf '{"type":"item.completed","item":{"id":\n'
printf '@@RALPH@@ {"type":\n'
printf '@@RALPH@@ {"type":"unheard-of"}\n'
printf '\033[31mred\033[0m \033]0;title\007 bell\r\n'
printf 'progress 10%%\rprogress 20%%\rprogress 30%%\n'
printf 'half a character: \342\202'
