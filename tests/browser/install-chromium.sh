#!/bin/sh
# Browser tests drive Debian's Chromium and look at Malayalam, Hindi and Arabic glyphs.
set -eu
if [ -x /usr/bin/chromium ] && fc-list 2>/dev/null | grep -q NotoSansMalayalam; then
    exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing chromium and fonts-noto-core for the browser tests"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium fonts-noto-core fontconfig >/dev/null
    exit 0
fi
echo "Browser tests need /usr/bin/chromium and Noto fonts: sudo apt-get install chromium fonts-noto-core" >&2
exit 1
