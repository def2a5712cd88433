#!/bin/sh
# A full-screen program for terminals: takes the other screen, shows its size and the last key, ends on q with code 7.
stty raw -echo
draw() {
  printf '\033[2J\033[1;1H\033[1mFULL SCREEN\033[0m\033[3;5H%s\033[4;5Hkey: %s' "$(stty size)" "$1"
}
printf '\033[?1049h'
trap 'draw resized' WINCH
draw none
while :; do
  key=$(dd bs=1 count=1 2>/dev/null)
  [ "$key" = q ] && break
  draw "$key"
done
printf '\033[?1049l'
stty sane
echo "back on the first screen"
exit 7
