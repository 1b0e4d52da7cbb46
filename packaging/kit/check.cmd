@echo off
rem SPDX-License-Identifier: MIT OR Apache-2.0
rem For a double click: the window stays open until a key is pressed.
cd /d "%~dp0"
weft-bench.exe
pause
