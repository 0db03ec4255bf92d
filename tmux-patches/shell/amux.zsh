# amux.zsh: tells the terminal where each command of an interactive zsh begins,
# ends and how it ended, by OSC 133 marks.
#
# Loaded by zsh/.zshenv, to which ZDOTDIR leads in a window of amux, or from a
# startup file. For zsh 5.8 and later; anything else is left alone.
#
#   ESC ] 133 ; D ; status [; aid=nonce] [; pipe=3,0] BEL   a command has ended
#   ESC ] 133 ; A [; aid=nonce] [; w=1] BEL                 the prompt comes now
#   ESC ] 133 ; B [; aid=nonce] BEL                         the prompt ends (PS1)
#   ESC ] 133 ; C [; aid=nonce] ; cmdline_url=text BEL      output begins
#   ESC ] 133 ; P ; k=s [; aid=nonce] BEL                   the line goes on (PS2)
#
# The options are those of amux.bash; cmdline_url is the line that was typed,
# percent-encoded. A text of several lines is one command of zsh: one C, one D.
#
# zsh gives each hook $? and $pipestatus of the command, whatever the hook before
# it did. So ours are the first and the last of precmd_functions, D and A, and
# what other hooks print lies between the two. Ahead of precmd_functions zsh runs
# a function precmd, and ahead of that it marks the end of a line that has no
# newline (PROMPT_SP): the one gets our hook as its first line, the other is off
# while a command runs, and done here, behind D. No process is started.
#
# Names: everything of ours begins with __amux_. The hooks work in the options
# of zsh itself, `emulate -LR zsh`, and what tracing or a trap would print goes
# nowhere.

# The status first: whatever runs before this line would change it. Aliases are
# expanded while functions are read.
__amux_now=("$?" "${pipestatus[@]}") __amux_aliases=
if [[ -o aliases ]]; then
	__amux_aliases=1
	'builtin' 'unsetopt' 'aliases'
fi

# The first hook of a prompt: prints D. The options that it sets must last, so it
# has none of its own.
__amux_first() {
	{
		__amux_now=("$?" "${pipestatus[@]}")
		__amux_pads=
		if [[ -n $__amux_sp && ! -o prompt_sp ]]; then
			__amux_pads=1
		fi
		__amux_ended
		if [[ -n $__amux_pads ]]; then
			builtin setopt prompt_sp
		fi
		__amux_sp=
	} >/dev/null 2>&1
	# The rest of the function precmd is to find the status. Elsewhere it would
	# set off a trap, or end the shell.
	if (( ${funcstack[(I)precmd]} )); then
		builtin return $__amux_status
	fi
}

# The last hook of a prompt: prints A.
__amux_last() {
	{
		__amux_shown
	} >/dev/null 2>&1
}

# The last hook before a command: prints C.
__amux_begins() {
	{
		__amux_begun "${1:-$3}" "$3"
		if [[ -o prompt_sp && -o prompt_cr && ${(L)3//_} != *promptsp* ]]; then
			__amux_sp=1
			builtin unsetopt prompt_sp
		fi
	} >/dev/null 2>&1
}

# Prints D when a command ended. Without a C, a status that changed is that of a
# line that zsh refused; 130 is Ctrl-C at the prompt. The first prompt of a shell
# follows no command.
__amux_ended() {
	builtin emulate -LR zsh
	builtin local pipe= status_now=${__amux_now[1]}
	# The second of two calls: from the function precmd and from the array.
	if [[ $__amux_phase == hooks ]]; then
		builtin return 0
	fi
	if [[ -n $__amux_ran || ($__amux_phase != start &&
		$status_now != $__amux_status && $status_now != 130) ]]; then
		# What runs no command (x=1) leaves the statuses of the last pipeline;
		# and `! false | true` is 1 although the last command's status is 0.
		if [[ $__amux_ran == *pipe* && ${#__amux_now} -gt 2 &&
			$status_now == ${__amux_now[-1]} ]]; then
			pipe=";pipe=${(j:,:)__amux_now[2,-1]}"
		fi
		builtin print -rn -- $'\e]133;D;'$status_now$__amux_aid$pipe$'\a' >/dev/tty
	fi
	__amux_status=$status_now __amux_ran= __amux_phase=hooks
	if [[ -n $__amux_pads ]]; then
		__amux_pad
	fi
	# Now as well as behind the other hooks: Ctrl-C may end them.
	__amux_mend
	builtin return 0
}

# What zsh does with PROMPT_SP: a mark and blanks up to the right edge, so that
# the mark stays, on a line of its own, where the output ended without a newline.
__amux_pad() {
	builtin emulate -LR zsh
	builtin setopt extended_glob
	builtin local mark=${PROMPT_EOL_MARK-'%B%S%#%s%b'}
	builtin local plain=${(%)${(S)mark//\%\{*\%\}}}
	plain=${plain//$'\e'\[[0-9;]#m}
	builtin local -i width=${(m)#plain}
	builtin print -rn -- "${(%)mark}${(l:COLUMNS - width:: :)}"$'\r'"${(l:width:: :)}"$'\r' >/dev/tty
}

# Puts our parts where they belong, and prints A.
__amux_shown() {
	builtin emulate -LR zsh
	builtin local waiting= paste=
	builtin local -a reply
	if [[ $__amux_phase != hooks ]]; then
		__amux_ended
	fi
	__amux_mend
	__amux_place
	# The terminal is canonical until zle takes it: only a whole line shows.
	if [[ -t 0 ]] && builtin zselect -t 0 -r 0; then
		waiting=';w=1'
	fi
	# zle asks for this behind the prompt and the hooks of zle-line-init: a text
	# that comes sooner would not be pasted.
	if [[ -o zle ]]; then
		paste=${zle_bracketed_paste[1]-}
	fi
	__amux_phase=prompt
	# Not to a descriptor: `exec >file` must not take the marks away.
	builtin print -rn -- $'\e]133;A'$__amux_aid$waiting$'\a'$paste >/dev/tty
	builtin return 0
}

# Prints C. The prompts are the user's own while a command runs: what keeps or
# exports them gets no marks.
__amux_begun() {
	builtin emulate -LR zsh
	builtin setopt extended_glob no_multibyte
	builtin local line=$1 MATCH
	builtin local -i MBEGIN MEND
	__amux_ran=yes
	if [[ $2 == *'|'* && ($2 != *[\"\'\\]* || -n ${(M)${(z)2}:#\|(|\&)}) ]]; then
		__amux_ran=pipe
	fi
	if [[ $2 == *exec* && -n $__amux_folder ]]; then
		__amux_lead ${(z)2}
	fi
	__amux_strip
	# tmux keeps 4,096 bytes of a mark.
	line=${line[1,4000]}
	line=${line//(#m)[^A-Za-z0-9 _.\/,:@=+-]/%${(l:2::0:)$(( [##16] #MATCH ))}}
	__amux_phase=command
	builtin print -rn -- $'\e]133;C'$__amux_aid';cmdline_url='$line$'\a' >/dev/tty
}

# `exec zsh` must come here again: ZDOTDIR leads to our .zshenv, until the next
# prompt. Not for longer, as programs write into the folder that it names. The
# arguments are the words of the line.
__amux_lead() {
	if [[ "${@[$@[(i)exec],-1]}" != *(zsh|\$)* ]]; then
		builtin return
	fi
	if [[ -n ${ZDOTDIR+x} ]]; then
		builtin typeset -gx AMUX_ZDOTDIR=$ZDOTDIR
	fi
	builtin typeset -gx ZDOTDIR=$__amux_folder
	__amux_led=1
}

# Puts the marks into the prompts. B at the end of PS1, and what tells that a
# line goes on before PS2. What is unset or cannot be changed stays.
__amux_mend() {
	builtin emulate -LR zsh
	if [[ -n $__amux_led ]]; then
		if [[ -n ${AMUX_ZDOTDIR+x} ]]; then
			ZDOTDIR=$AMUX_ZDOTDIR
		else
			builtin unset ZDOTDIR
		fi
		builtin unset AMUX_ZDOTDIR
		__amux_led=
	fi
	if [[ -n ${PS1+x} && ${(t)PS1} != *readonly* && $PS1 != *$__amux_b ]]; then
		PS1=${PS1//$__amux_b}$__amux_b
	fi
	if [[ -n ${PS2+x} && ${(t)PS2} != *readonly* && $PS2 != $__amux_p* ]]; then
		PS2=$__amux_p${PS2//$__amux_p}
	fi
}

# Takes them out again.
__amux_strip() {
	if [[ ${(t)PS1} != *readonly* && ${PS1-} == *$__amux_b* ]]; then
		PS1=${PS1//$__amux_b}
	fi
	if [[ ${(t)PS2} != *readonly* && ${PS2-} == *$__amux_p* ]]; then
		PS2=${PS2//$__amux_p}
	fi
}

# Puts the hooks first and last where they are not.
__amux_place() {
	builtin emulate -LR zsh
	if [[ ${precmd_functions[1]-} != __amux_first || ${precmd_functions[-1]-} != __amux_last ]]; then
		precmd_functions=(__amux_first ${precmd_functions:#__amux_(first|last)} __amux_last)
	fi
	if [[ ${preexec_functions[-1]-} != __amux_begins ]]; then
		preexec_functions=(${preexec_functions:#__amux_begins} __amux_begins)
	fi
	if (( ${+functions[precmd]} )) && [[ ${functions[precmd]} != *__amux_first* ]]; then
		# `&& :` keeps the status from ending the shell or setting off a trap.
		functions[precmd]=$'__amux_first && :\n'${functions[precmd]}
	fi
}

# Asks tmux for the nonce of this pane: `exec zsh` has lost the variable that
# held it. Once, when the shell starts. A tmux without nonces prints nothing.
__amux_ask() {
	builtin emulate -LR zsh
	builtin local tmux=${AMUX_TMUX-} server
	if [[ -z ${TMUX-} || -z ${TMUX_PANE-} ]]; then
		builtin return 0
	fi
	if [[ -z $tmux ]]; then
		tmux=$(builtin whence -p tmux-custom)
	fi
	if [[ -z $tmux ]]; then
		server=${TMUX%,*}
		tmux=/proc/${server##*,}/exe
	fi
	__amux_nonce=$($tmux display-message -p -t $TMUX_PANE \
		'#{?pane_nonce,#{pane_nonce},#{@amux_nonce}}' </dev/null)
}

# Installs the hooks; fails where there is nothing to install for.
__amux_start() {
	builtin emulate -LR zsh
	builtin setopt extended_glob
	builtin autoload -Uz is-at-least
	if [[ ! -o interactive ]] || ! is-at-least 5.8; then
		builtin return 1
	fi
	builtin typeset -g __amux_nonce=${AMUX_NONCE-}
	builtin unset AMUX_NONCE
	# Where tmux gives no nonces, whoever made the pane has put one on it, which
	# a process that takes the first one's place must ask for.
	if [[ $__amux_nonce != [0-9a-f](#c32) && -n ${AMUX_SHELL_PID-}${AMUX_RECORD-} ]]; then
		if [[ -z ${AMUX_SHELL_PID-} || $AMUX_SHELL_PID == $$ ]]; then
			__amux_ask
		elif [[ ${AMUX_SHELL_PANE-${TMUX-},${TMUX_PANE-}} == "${TMUX-},${TMUX_PANE-}" ]]; then
			# A shell inside the pane's shell.
			builtin return 1
		fi
	fi
	if [[ $__amux_nonce != [0-9a-f](#c32) ]]; then
		__amux_nonce=
	fi
	# A program started from this shell may start a tmux of its own, whose panes
	# inherit the variable: the pane's name tells them from a nested shell.
	builtin typeset -gx AMUX_SHELL_PID=$$ AMUX_SHELL_PANE=${TMUX-},${TMUX_PANE-}
	builtin typeset -g __amux_aid=${__amux_nonce:+;aid=$__amux_nonce}
	builtin typeset -g __amux_b=$'%{\e]133;B'$__amux_aid$'\a%}'
	builtin typeset -g __amux_p=$'%{\e]133;P;k=s'$__amux_aid$'\a%}'
	builtin typeset -g __amux_status=0 __amux_phase=start __amux_ran= __amux_sp= \
		__amux_pads= __amux_led= __amux_folder=${__amux_folder-}
	builtin typeset -gH __amux_shell=$$
	builtin typeset -ga precmd_functions preexec_functions
	builtin zmodload -F zsh/zselect b:zselect
	__amux_place
	builtin return 0
}

# Loaded before, in this very process: the hooks are there.
if [[ ${__amux_shell-} == $$ ]]; then
	__amux_place >/dev/null 2>&1
elif ! __amux_start >/dev/null 2>&1; then
	'builtin' 'unset' __amux_now __amux_nonce __amux_folder
	'builtin' 'unfunction' -m '__amux_*'
else
	'builtin' 'unfunction' __amux_start __amux_ask
fi
if [[ -n $__amux_aliases ]]; then
	'builtin' 'setopt' 'aliases'
fi
'builtin' 'unset' __amux_aliases
'builtin' 'true'
