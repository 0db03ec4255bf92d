# Where ZDOTDIR leads in a window of amux. zsh reads this file as its .zshenv,
# and the user's other startup files where it would read them without us:
# ZDOTDIR is the user's again (AMUX_ZDOTDIR, unset where it was not set).
#
# amux.zsh is loaded before the user's .zshrc, which so has the last word on
# what is set here. It has what zsh-newuser-install asks for: a startup file.
'builtin' 'typeset' -g __amux_folder=${${(%):-%x}:A:h}
if [[ -n ${AMUX_ZDOTDIR+x} ]]; then
	'builtin' 'export' ZDOTDIR="$AMUX_ZDOTDIR"
	'builtin' 'unset' AMUX_ZDOTDIR
else
	'builtin' 'unset' ZDOTDIR
fi
if [[ -r ${ZDOTDIR-$HOME}/.zshenv ]]; then
	'builtin' 'source' "${ZDOTDIR-$HOME}/.zshenv"
fi
if [[ -o interactive ]]; then
	# Scripts that are pasted have comments; and text that a program pastes is
	# to arrive as it is, which bracketed-paste-magic would change.
	'builtin' 'setopt' interactive_comments
	'builtin' 'zstyle' ':bracketed-paste-magic' active-widgets
	# zsh-syntax-highlighting takes 7 s for 4 KiB, and 60 s for 16 KiB.
	'builtin' 'typeset' -g ZSH_HIGHLIGHT_MAXLENGTH=${ZSH_HIGHLIGHT_MAXLENGTH-300}
	'builtin' 'source' "${__amux_folder:h}/amux.zsh"
else
	'builtin' 'unset' __amux_folder
fi
