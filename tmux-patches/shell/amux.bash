# shellcheck shell=bash
# amux.bash: tells the terminal where each command of an interactive bash
# begins, ends and how it ended, by OSC 133 marks.
#
# Loaded through PROMPT_COMMAND='. "/path/amux.bash"' in the environment, or
# from a startup file. For bash 4.4 and later; anything else is left alone.
#
#   ESC ] 133 ; D ; status [; aid=nonce] [; pipe=3,0] BEL   a command has ended
#   ESC ] 133 ; A [; aid=nonce] [; w=1] BEL                 the prompt comes now
#   ESC ] 133 ; B [; aid=nonce] BEL                         the prompt ends (PS1)
#   ESC ] 133 ; C [; aid=nonce] BEL                         output begins (PS0)
#   ESC ] 133 ; P ; k=s [; aid=nonce] BEL                   the line goes on (PS2)
#
# aid is the pane's nonce (AMUX_NONCE, taken out of the environment), w=1 says
# that a line which is already typed waits on the terminal, pipe has the status
# of each command of a pipeline.
#
# The hook stands twice in PROMPT_COMMAND: first, where $? is still that of the
# command, and last, where the prompt is as it will be shown. What the other
# hooks print lies between D and A, and so belongs to no command. No process is
# started at a prompt, except where AMUX_RECORD says that the tmux keeps no
# records itself: then each prompt is also told by an option of the pane, see
# __amux_mark, unless a controller that follows the pane does it, see
# __amux_shown.
#
# Names: everything of ours begins with __amux_. Builtins are called through
# `builtin`, as functions of the same name may exist.

# The status first: whatever runs before this line would change it.
__amux_now=("$?" "${PIPESTATUS[@]}")

# Loaded before, in this very process: see __amux_again.
if [[ ${__amux_shell-} == "$$" ]]; then
	__amux_again >/dev/null 2>&1
	builtin return "$__amux_give"
fi

if [[ $- != *i* || ${BASH_VERSINFO[0]}${BASH_VERSINFO[1]} -lt 44 ]]; then
	builtin unset __amux_now
	builtin return 0
fi

# Options that would trace, export or end what follows, and aliases, which are
# expanded while functions are read; they are as before at the end.
__amux_flags=$-
{ \builtin set +aeux; } 2>/dev/null
__amux_aliases=
if \builtin shopt -q expand_aliases; then
	__amux_aliases=1
	\builtin shopt -u expand_aliases
fi

# The first element of PROMPT_COMMAND. Prints D. Always succeeds, so that
# neither `set -e` nor an ERR trap sees a failure of ours; __amux_back gives the
# status to the hooks that follow. The key of __amux_same is all that our parts
# are in, so that one look-up tells whether something was changed.
__amux_first() {
	__amux_now=("$?" "${PIPESTATUS[@]}")
	# The usual prompt, for a fraction of the time: one command has ended, and
	# nothing has changed since the prompt before.
	if [[ -n $__amux_usual && ${#__amux_now[@]} == 2 && $- != *[aeuvx]* &&
		x${PS2-}${precmd_functions[0]-}${PROMPT_COMMAND[*]-}${PS0-}${PS1-} == "$__amux_usual" ]] &&
		((__amux_number = ${__amux_hash@P} + __amux_less, __amux_number == __amux_count + 1)) &&
		! { [[ -t 0 ]] && builtin read -r -t 0; }; then
		__amux_status=${__amux_now[0]} __amux_told=${__amux_now[0]}
		__amux_count=$__amux_number __amux_statuses='' __amux_w='' __amux_known=alone
		builtin printf '\e]133;D;%s%s\a\e]133;A%s\a' "${__amux_now[0]}" "$__amux_aid" "$__amux_aid" >/dev/tty
		builtin return 0
	fi
	if [[ $- == *[aeuvx]* ]]; then
		builtin local -
		builtin set +aeuvx
	fi
	__amux_ended
	__amux_key=x${PS2-}${precmd_functions[0]-}${PROMPT_COMMAND[*]-}${PS0-}${PS1-}
	__amux_known=${__amux_same[$__amux_key]-}
	# The last element is missing where there are no other hooks, where
	# PROMPT_COMMAND is readonly, and where a tool took it out.
	if [[ $__amux_known == alone || "${PROMPT_COMMAND[*]-}" != *__amux_last* ]]; then
		__amux_shown
	elif [[ -n $__amux_d ]]; then
		builtin printf %s "$__amux_d" >/dev/tty
		__amux_d=
	fi
	builtin return 0
}

# Gives back the status that __amux_first read.
__amux_back() {
	builtin return "$__amux_status"
}

# The first of precmd_functions, where bash-preexec is (see __amux_place).
__amux_precmd() {
	__amux_now=("$?" "${BP_PIPESTATUS[@]}")
	if [[ $- == *[aeuvx]* ]]; then
		builtin local -
		builtin set +aeuvx
	fi
	# Before 5.1 its trap leaves PIPESTATUS wrong where the last part of a
	# pipeline is a program (0,0,0 for 6,7,0): none rather than false ones.
	if [[ $__amux_version -lt 51 ]]; then
		__amux_now=("${__amux_now[0]}")
	fi
	# bash-preexec installs itself at a prompt, which may have had its A.
	if [[ ${FUNCNAME[*]} == *__bp_install* && -n $__amux_count ]]; then
		builtin return 0
	fi
	__amux_ended
	if [[ "${PROMPT_COMMAND[*]-}" != *__amux_first* ]]; then
		__amux_known=
		__amux_shown
	elif [[ -n $__amux_d ]]; then
		builtin printf %s "$__amux_d" >/dev/tty
		__amux_d=
	fi
	builtin return 0
}

# The last element of PROMPT_COMMAND. Prints A.
__amux_last() {
	__amux_now=("$?" "${PIPESTATUS[@]}")
	if [[ $- == *[aeuvx]* ]]; then
		builtin local -
		builtin set +aeuvx
	fi
	# A prompt tool may keep an old PROMPT_COMMAND, ours in it, and run it from
	# a function of its own (starship). The one at the end is still to come.
	if ((${#FUNCNAME[@]} > 1)) && __amux_in_place; then
		builtin return 0
	fi
	if [[ $__amux_phase != hooks ]]; then
		__amux_ended
	fi
	__amux_key=x${PS2-}${precmd_functions[0]-}${PROMPT_COMMAND[*]-}${PS0-}${PS1-}
	__amux_known=${__amux_same[$__amux_key]-}
	__amux_shown
	builtin return 0
}

# The file was loaded again in a shell that has it: by the element that a prompt
# tool or a readonly PROMPT_COMMAND keeps, by a startup file, by hand.
__amux_again() {
	__amux_give=${__amux_now[0]}
	# Within `set -e` a status other than 0 would end the shell.
	if [[ $- == *e* ]]; then
		__amux_give=0
	fi
	builtin local -
	builtin set +aeuvx
	if ! __amux_at_prompt; then
		__amux_give=0
		__amux_in_place || __amux_place
	elif [[ "${PROMPT_COMMAND[*]-}" != *__amux_first* ]]; then
		__amux_ended
		__amux_known=
		__amux_shown
	fi
	builtin return 0
}

# Tells whether the file is being loaded by PROMPT_COMMAND: not by a startup
# file, which is one file inside another, and not by hand, which is a command
# (`\#` begins at 0 in 5.0 to 5.2, at 1 in the others).
__amux_at_prompt() {
	builtin local __amux_name __amux_files=0 __amux_least=1
	for __amux_name in "${FUNCNAME[@]}"; do
		if [[ $__amux_name == source ]]; then
			((++__amux_files))
		fi
	done
	if ((__amux_files > 1)); then
		builtin return 1
	fi
	if ((__amux_version >= 50 && __amux_version <= 52)); then
		__amux_least=0
	fi
	[[ "${PROMPT_COMMAND[*]-}" == *amux.bash* || ${__amux_hash@P} -le $__amux_least ]]
}

# Puts D in __amux_d when a command ended. `\#` counts the commands before which
# bash showed PS0, so it tells that one ran even where somebody reset PS0.
# Without one, a status that changed is that of a line that bash refused (a
# syntax error is 2); 130 is Ctrl-C at the prompt. The first prompt of a shell
# follows no command.
__amux_ended() {
	# 5.3 counts one less once PS0, PS1 and PS2 are all set.
	((__amux_number = ${__amux_hash@P} + __amux_less))
	# A second time at the same prompt, when $? is that of some other hook.
	if [[ $__amux_phase == hooks && $__amux_number == "$__amux_count" ]]; then
		builtin return
	fi
	__amux_ran=
	if [[ -n $__amux_count && $__amux_number != "$__amux_count" ]]; then
		__amux_ran=1
	fi
	if [[ -n $__amux_count && ($__amux_number != "$__amux_count" ||
		(${__amux_now[0]} != "$__amux_status" && ${__amux_now[0]} != 130)) ]]; then
		__amux_told=${__amux_now[0]} __amux_statuses=
		# `! false | true` is 1 although the last command's status is 0.
		if [[ ${#__amux_now[@]} -gt 2 && ${__amux_now[0]} == "${__amux_now[${#__amux_now[@]} - 1]}" ]]; then
			__amux_pipe
		fi
		__amux_d=$'\e]133;D;'$__amux_told$__amux_aid${__amux_statuses:+;pipe=$__amux_statuses}$'\a'
	else
		__amux_d=
		# Ctrl-C at the prompt; the first prompt keeps what it has.
		if [[ -n $__amux_count && ${__amux_now[0]} != "$__amux_status" ]]; then
			__amux_told=${__amux_now[0]} __amux_statuses=
		fi
	fi
	__amux_status=${__amux_now[0]} __amux_count=$__amux_number __amux_phase=hooks
}

# Puts the statuses of a pipeline in __amux_statuses, separated by commas.
# "${a[*]}" would join them with the user's IFS.
__amux_pipe() {
	builtin local __amux_i
	__amux_statuses=${__amux_now[1]}
	for ((__amux_i = 2; __amux_i < ${#__amux_now[@]}; __amux_i++)); do
		__amux_statuses+=,${__amux_now[__amux_i]}
	done
}

# Marks on the pane that this prompt is being recorded, and by which nonce, which a
# pane that somebody has split off has from the first one, and waits until tmux has
# it. What is typed from then on clears the mark, and so drops the record; what
# was typed before waits on the terminal by the time tmux answers. In a command
# substitution, which stays in the process group of the shell: the terminal's
# foreground does not change.
__amux_mark() {
	((++__amux_marks))
	__amux_taken=$__amux_taking
	: "$("$__amux_record" -S "$__amux_socket" set-option -p -t "$__amux_pane" @amux_prompt \
		"recording $$ $__amux_marks" ';' \
		set-option -p -t "$__amux_pane" @amux_hooked "$__amux_taking $$" ';' \
		set-option -p -t "$__amux_pane" @amux_nonce "${__amux_aid#;aid=}" </dev/null 2>&1)"
}

# Records the prompt if its mark is still there: status, time and the statuses of
# a pipeline. In the background: the prompt does not wait for it. tmux compares
# and sets in one go.
__amux_write() {
	builtin local __amux_time
	builtin printf -v __amux_time '%(%s)T' -1
	: "$("$__amux_record" -S "$__amux_socket" if-shell -F -t "$__amux_pane" \
		"#{==:#{@amux_prompt},recording $$ $__amux_marks}" \
		"set-option -p -t $__amux_pane @amux_prompt '$__amux_told $__amux_time${__amux_statuses:+ $__amux_statuses}'" \
		</dev/null >/dev/null 2>&1 &)"
}

# Puts our parts back where they were taken away, and prints D, where it still
# waits, and A.
__amux_shown() {
	builtin local __amux_left=1 __amux_taking=plain
	__amux_phase=prompt
	if [[ -n $__amux_record ]]; then
		# The end of the command need not wait for tmux.
		if [[ -n $__amux_d ]]; then
			builtin printf %s "$__amux_d" >/dev/tty
			__amux_d=
		fi
		if [[ (-o emacs || -o vi) && ${TERM-} != dumb ]]; then
			__amux_taking='paste'
		fi
		# A controller that reads the pane's output records what is behind a
		# command, in a tenth of the time. It has left a link of this shell's
		# name to the folder that is in AMUX_RECORD, by way of a descriptor of
		# its own, which goes with it. It sees D, which was printed before, also
		# where it takes the link away now. Not where tmux is to be told of
		# something else.
		if [[ -z $__amux_ran || $__amux_taking != "$__amux_taken" ||
			! $__amux_followed -ef $__amux_folder ]]; then
			__amux_left=
			__amux_mark
		fi
	fi
	# The terminal is canonical until readline takes it: only a whole line shows.
	__amux_w=
	if [[ -t 0 ]] && builtin read -r -t 0; then
		__amux_w=';w=1'
	elif [[ -z $__amux_left ]]; then
		__amux_write
	fi
	if [[ -z $__amux_known ||
		(-n $__amux_front && $__amux_front != *"$__amux_aid$__amux_w\\a\\]") ]]; then
		__amux_mend
	fi
	__amux_usual=
	if [[ $__amux_known == alone && -z $__amux_front$__amux_record ]]; then
		__amux_usual=$__amux_key
	fi
	if [[ -z $__amux_front ]]; then
		__amux_d+=$'\e]133;A'$__amux_aid$__amux_w$'\a'
	fi
	# Not to a descriptor: `exec >file` must not take the marks away.
	if [[ -n $__amux_d ]]; then
		builtin printf %s "$__amux_d" >/dev/tty
		__amux_d=
	fi
}

# Puts our parts where they belong.
__amux_mend() {
	builtin local __amux_text __amux_last_word=1
	if ! __amux_in_place; then
		__amux_place
		__amux_last_word=
	fi
	# Before 5.1 PROMPT_COMMAND runs for each line of a pasted text, although no
	# prompt is shown between them: there A is part of the prompt. Not while
	# hooks that set PS1 may still come.
	__amux_front=
	# What is unset stays so, PS0 apart.
	if [[ -n ${PS1+x} && ${PS1@a} != *r* ]]; then
		if [[ $__amux_version -lt 51 && -n $__amux_last_word ]]; then
			__amux_front='\[\e]133;A'$__amux_aid$__amux_w'\a\]'
		fi
		__amux_text=$PS1
		__amux_strip
		PS1=$__amux_front$__amux_text$__amux_b
	fi
	# A continuation prompt tells that a line is not complete.
	if [[ -n ${PS2+x} && ${PS2@a} != *r* ]]; then
		__amux_text=$PS2
		__amux_strip
		PS2='\[\e]133;P;k=s'$__amux_aid'\a\]'$__amux_text
	fi
	# After the user's own PS0: what it prints is not the command's output.
	if [[ ${PS0@a} != *r* ]]; then
		__amux_text=${PS0-}
		__amux_strip
		PS0=$__amux_text$__amux_c
	fi
	__amux_less=0
	if [[ $__amux_version -ge 53 && -n ${PS0+x} && -n ${PS1+x} && -n ${PS2+x} ]]; then
		__amux_less=1
	fi
	# bash before 5.1 has bracketed paste off, and an inputrc may turn it off.
	# Not at every prompt, as it takes a sixth of the hook's time.
	if [[ (-o emacs || -o vi) && ${TERM-} != dumb ]]; then
		builtin bind 'set enable-bracketed-paste on'
	fi
	__amux_same=()
	if [[ $__amux_version -ge 51 || -n $__amux_last_word ]]; then
		__amux_key=x${PS2-}${precmd_functions[0]-}${PROMPT_COMMAND[*]-}${PS0-}${PS1-}
		__amux_same[$__amux_key]=alone
		if [[ "${PROMPT_COMMAND[*]-}" == *__amux_last* ]]; then
			__amux_same[$__amux_key]=both
		fi
	fi
}

# Takes the marks of PS1, PS2 and PS0 out of the prompt in __amux_text.
__amux_strip() {
	builtin local __amux_rest
	while [[ $__amux_text == *'\[\e]133;'[ABP]*'\a\]'* ]]; do
		__amux_rest=${__amux_text#*'\[\e]133;'[ABP]}
		__amux_text=${__amux_text%%'\[\e]133;'[ABP]*}${__amux_rest#*'\a\]'}
	done
	while [[ $__amux_text == *'\e]133;C'*'\a'* ]]; do
		__amux_rest=${__amux_text#*'\e]133;C'}
		__amux_text=${__amux_text%%'\e]133;C'*}${__amux_rest#*'\a'}
	done
}

# Tells whether PROMPT_COMMAND is as __amux_place leaves it.
__amux_in_place() {
	builtin local __amux_list __amux_text
	if [[ $__amux_version -ge 51 && ${PROMPT_COMMAND@a} == *a* ]]; then
		__amux_list=("${PROMPT_COMMAND[@]}")
		if [[ ${__amux_list[0]-} == __bp_precmd_invoke_cmd* ]]; then
			[[ ${precmd_functions[0]-} == __amux_precmd ]] || builtin return
			__amux_list=("${__amux_list[@]:1:${#__amux_list[@]}-2}")
		fi
		if ((${#__amux_list[@]} == 1)); then
			[[ ${__amux_list[0]-} == "$__amux_alone" ]]
		else
			[[ ${__amux_list[0]-} == "$__amux_head" &&
				${__amux_list[${#__amux_list[@]} - 1]-} == "$__amux_tail" ]]
		fi
	else
		__amux_text=${PROMPT_COMMAND-}
		if [[ $__amux_text == __bp_precmd_invoke_cmd*$'\n'* ]]; then
			[[ ${precmd_functions[0]-} == __amux_precmd ]] || builtin return
			__amux_text=${__amux_text#*$'\n'}
			__amux_text=${__amux_text%$'\n'__bp_interactive_mode}
		fi
		[[ $__amux_text == "$__amux_alone" || ($__amux_text == "$__amux_head"$'\n'* &&
			$__amux_text == *$'\n'"$__amux_tail") ]]
	fi
}

# Puts our elements first and last in PROMPT_COMMAND, and takes them out of
# wherever else they are; where there are no other hooks, the first does the work
# of both. A string stays a string: it is exported when it came from the
# environment, so that `exec bash` finds it there. bash runs the elements of an
# array from 5.1 on; before, only the first one.
#
# bash-preexec insists on the ends of PROMPT_COMMAND, and puts itself there again
# at each prompt. It keeps them, and we are the first of the functions that its
# first command runs.
__amux_place() {
	builtin local __amux_text __amux_list __amux_new __amux_before='' __amux_after=''
	if [[ ${PROMPT_COMMAND@a} == *r* ]]; then
		builtin return 0
	fi
	if [[ "${PROMPT_COMMAND[*]-}" == *@(__bp_install|__bp_precmd_invoke_cmd)* &&
		${precmd_functions[0]-} != __amux_precmd && ${precmd_functions@a} != *r* ]]; then
		precmd_functions=(__amux_precmd "${precmd_functions[@]}")
	fi
	if [[ $__amux_version -ge 51 && ${PROMPT_COMMAND@a} == *a* ]]; then
		__amux_list=("${PROMPT_COMMAND[@]}") __amux_new=()
		for __amux_text in "${__amux_list[@]}"; do
			__amux_clean
			__amux_between
			if [[ -n $__amux_text ]]; then
				__amux_new+=("$__amux_text")
			fi
		done
		if ((${#__amux_new[@]} == 0)); then
			__amux_new=("$__amux_alone")
		else
			__amux_new=("$__amux_head" "${__amux_new[@]}" "$__amux_tail")
		fi
		PROMPT_COMMAND=(${__amux_before:+"$__amux_before"} "${__amux_new[@]}"
			${__amux_after:+"$__amux_after"})
	else
		# Before 5.1 bash-preexec rewrites the string at the first prompt, by
		# patterns whose time grows with the third power of its length: with our
		# elements in it 10 s. The next prompt is soon enough.
		if [[ $__amux_version -lt 51 && ${PROMPT_COMMAND-} == *__bp_install* ]]; then
			builtin return 0
		fi
		__amux_text=${PROMPT_COMMAND-}
		__amux_clean
		__amux_between
		if [[ -z $__amux_text ]]; then
			__amux_text=$__amux_alone
		else
			__amux_text=$__amux_head$'\n'$__amux_text$'\n'$__amux_tail
		fi
		__amux_text=${__amux_before:+$__amux_before$'\n'}$__amux_text
		# shellcheck disable=SC2178 # no array in this branch
		PROMPT_COMMAND=$__amux_text${__amux_after:+$'\n'$__amux_after}
	fi
}

# Moves the ends of bash-preexec from __amux_text to __amux_before and
# __amux_after.
__amux_between() {
	if [[ $__amux_text == __bp_precmd_invoke_cmd* ]]; then
		__amux_before=${__amux_text%%$'\n'*}
		__amux_text=${__amux_text#"$__amux_before"}
		__amux_text=${__amux_text#$'\n'}
	fi
	if [[ $__amux_text == __bp_interactive_mode || $__amux_text == *$'\n'__bp_interactive_mode ]]; then
		__amux_after=__bp_interactive_mode
		__amux_text=${__amux_text%__bp_interactive_mode}
		__amux_text=${__amux_text%$'\n'}
	fi
}

# Takes our elements out of the text in __amux_text, each with one of the
# separators around it; elsewhere (`x && element`) a colon takes its place.
__amux_clean() {
	builtin local __amux_part
	__amux_text=$'\n'$__amux_text$'\n'
	for __amux_part in "$__amux_alone" "$__amux_head" "$__amux_tail" "${__amux_loads[@]}"; do
		while [[ $__amux_text == *"$__amux_part"* ]]; do
			case $__amux_text in
			*[$' \t']"$__amux_part"*)
				__amux_text=${__amux_text/[$' \t']"$__amux_part"/"$__amux_part"}
				;;
			*[$'\n;']"$__amux_part"$'\n'*)
				__amux_text=${__amux_text/[$'\n;']"$__amux_part"$'\n'/$'\n'}
				;;
			*[$'\n;']"$__amux_part;"*)
				__amux_text=${__amux_text/"$__amux_part;"/}
				;;
			*)
				__amux_text=${__amux_text/"$__amux_part"/:}
				;;
			esac
		done
	done
	while [[ $__amux_text == [$' \t\n']* ]]; do
		__amux_text=${__amux_text#?}
	done
	while [[ $__amux_text == *[$' \t\n'] ]]; do
		__amux_text=${__amux_text%?}
	done
}

# Asks tmux for the nonce of this pane: `exec bash` has lost the variable that
# held it. Once, when the shell starts. A tmux without nonces prints nothing.
__amux_ask() {
	builtin local "__amux_tmux=${AMUX_TMUX-}" __amux_server
	if [[ -z ${TMUX-} || -z ${TMUX_PANE-} ]]; then
		builtin return 0
	fi
	if [[ -z $__amux_tmux ]]; then
		__amux_tmux=$(builtin type -P tmux-custom)
	fi
	if [[ -z $__amux_tmux ]]; then
		__amux_server=${TMUX%,*}
		__amux_tmux=/proc/${__amux_server##*,}/exe
	fi
	__amux_nonce=$("$__amux_tmux" display-message -p -t "$TMUX_PANE" \
		'#{?pane_nonce,#{pane_nonce},#{@amux_nonce}}' </dev/null)
}

# Leaves no trace: a shell inside the pane's shell has inherited PROMPT_COMMAND,
# and PS0 and PS1 where they are exported, with marks that are not its own.
__amux_leave() {
	builtin local __amux_text
	if [[ ${PROMPT_COMMAND@a} != *[ar]* && -n ${PROMPT_COMMAND-} ]]; then
		__amux_text=$PROMPT_COMMAND
		__amux_clean
		if [[ -n $__amux_text ]]; then
			PROMPT_COMMAND=$__amux_text
		else
			builtin unset PROMPT_COMMAND
		fi
	fi
	if [[ -n ${PS0+x} && ${PS0@a} != *r* ]]; then
		__amux_text=$PS0
		__amux_strip
		PS0=$__amux_text
	fi
	if [[ -n ${PS2+x} && ${PS2@a} != *r* ]]; then
		__amux_text=$PS2
		__amux_strip
		PS2=$__amux_text
	fi
	if [[ -n ${PS1+x} && ${PS1@a} != *r* ]]; then
		__amux_text=$PS1
		__amux_strip
		PS1=$__amux_text
	fi
}

# Installs the hook, or leaves a nested shell alone.
__amux_start() {
	builtin local -
	builtin set +v
	builtin local "__amux_path=${BASH_SOURCE[0]}" __amux_quoted
	__amux_version=${BASH_VERSINFO[0]}${BASH_VERSINFO[1]}
	__amux_hash='\#'
	__amux_nonce=${AMUX_NONCE-}
	builtin unset AMUX_NONCE
	if [[ $__amux_path != /* ]]; then
		__amux_path=$PWD/$__amux_path
	fi
	builtin printf -v __amux_quoted %q "$__amux_path"

	# In the environment these lines must also be good for a shell that has not
	# loaded this file: there the first loads it, and the last does nothing.
	# The nulls hide what `set -x` and a DEBUG trap would print into the output
	# of the command. Each call is a line of its own, as bash-preexec compares
	# lines, and its last argument is $_, so that $_ stays.
	# shellcheck disable=SC2016 # expanded when they run
	__amux_alone='{
"${__amux_first:-.}" '$__amux_quoted'
} >/dev/null 2>&1'
	# shellcheck disable=SC2016
	__amux_head='{
"${__amux_first:-.}" '$__amux_quoted' "${_-}"
"${__amux_back:-:}" "${_-}" && [[ 1 ]]
} >/dev/null 2>&1'
	# shellcheck disable=SC2016
	__amux_tail='{
"${__amux_last:-:}" "${_-}"
} >/dev/null 2>&1'
	__amux_loads=(". \"$__amux_path\"" ". $__amux_quoted"
		"source \"$__amux_path\"" "source $__amux_quoted")

	__amux_check_nonce
	# Where tmux gives no nonces, whoever made the pane has put one on it, which
	# a process that takes the first one's place (respawn-pane) must ask for.
	if [[ -z $__amux_nonce && -n ${AMUX_SHELL_PID-}${AMUX_RECORD-} ]]; then
		if [[ -z ${AMUX_SHELL_PID-} || $AMUX_SHELL_PID == "$$" ]]; then
			__amux_ask
			__amux_check_nonce
		elif [[ ${AMUX_SHELL_PANE-${TMUX-},${TMUX_PANE-}} == "${TMUX-},${TMUX_PANE-}" ]]; then
			__amux_leave
			builtin return 1
		fi
	fi

	# A program started from this shell may start a tmux of its own, whose panes
	# inherit the variable: the pane's name tells them from a nested shell.
	AMUX_SHELL_PID=$$ AMUX_SHELL_PANE=${TMUX-},${TMUX_PANE-}
	builtin export AMUX_SHELL_PID AMUX_SHELL_PANE
	__amux_aid=${__amux_nonce:+;aid=$__amux_nonce}
	__amux_b='\[\e]133;B'$__amux_aid'\a\]'
	__amux_c='\e]133;C'$__amux_aid'\a'
	__amux_count='' __amux_status=0 __amux_phase='' __amux_d='' __amux_less=0
	__amux_told=- __amux_statuses='' __amux_marks=0 __amux_usual=''
	# Not looked up again: startup files may change PATH, and an agent TMUX,
	# without which a client would reach another server.
	__amux_record='' __amux_pane=${TMUX_PANE-} __amux_socket=${TMUX-}
	__amux_folder=${AMUX_RECORD-} __amux_followed=${AMUX_RECORD-}/followed-$$ __amux_ran='' __amux_taken=''
	__amux_socket=${__amux_socket%,*,*}
	if [[ -n ${AMUX_RECORD-} && -n ${TMUX-} && -n $__amux_pane && -x ${AMUX_TMUX-} ]]; then
		__amux_record=$AMUX_TMUX
	fi
	__amux_front='' __amux_known='' __amux_shell=$$
	builtin unset __amux_same
	builtin declare -gA __amux_same
	__amux_same=()
	__amux_first=__amux_first __amux_back=__amux_back __amux_last=__amux_last

	# bash runs a copy of PROMPT_COMMAND, so what is put there now runs from the
	# next prompt on; this one gets its A here, unless the copy has our last
	# element (`exec bash`).
	if __amux_at_prompt; then
		if [[ $__amux_flags != *e* ]]; then
			__amux_give=${__amux_now[0]}
		fi
		__amux_ended
		if [[ "${PROMPT_COMMAND[*]-}" != *__amux_last* ]]; then
			__amux_shown
		fi
	fi
	__amux_in_place || __amux_place
}

# Forgets a nonce that is not 32 hexadecimal digits.
__amux_check_nonce() {
	if [[ ${#__amux_nonce} != 32 || $__amux_nonce == *[!0123456789abcdef]* ]]; then
		__amux_nonce=
	fi
}

__amux_give=0
if __amux_start >/dev/null 2>&1; then
	builtin unset -f __amux_start __amux_leave __amux_ask __amux_check_nonce
else
	builtin unset -f __amux_start __amux_leave __amux_ask __amux_check_nonce \
		__amux_first __amux_back __amux_precmd __amux_last __amux_again \
		__amux_at_prompt __amux_between \
		__amux_ended __amux_pipe __amux_shown __amux_mend __amux_in_place \
		__amux_place __amux_clean __amux_strip __amux_mark __amux_write
	builtin unset __amux_now __amux_nonce __amux_alone __amux_head __amux_tail __amux_loads \
		__amux_version __amux_hash __amux_number __amux_text
fi
if [[ -n $__amux_aliases ]]; then
	builtin shopt -s expand_aliases
fi
__amux_flags=${__amux_flags//[!aeux]/}
if [[ -n $__amux_flags ]]; then
	builtin set "-$__amux_flags"
fi
builtin unset __amux_aliases __amux_flags
builtin return "$__amux_give"
