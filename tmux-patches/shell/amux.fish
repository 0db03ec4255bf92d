# amux.fish: tells the terminal where each command of an interactive fish
# begins, ends and how it ended, by OSC 133 marks.
#
# Loaded by fish/vendor_conf.d/amux.fish, to which XDG_DATA_DIRS leads in a
# window of amux, or from config.fish. For fish 3.6 and later; anything else is
# left alone.
#
#   ESC ] 133 ; D ; status [; aid=nonce] [; pipe=3,0] BEL   a command has ended
#   ESC ] 133 ; A [; aid=nonce] BEL                         the prompt comes now
#   ESC ] 133 ; B [; aid=nonce] BEL                         the prompt ends
#   ESC ] 133 ; C [; aid=nonce] ; cmdline_url=text BEL      output begins
#
# The options are those of amux.bash; cmdline_url is the line that was typed,
# percent-encoded. A text of several lines is one command of fish: one C, one D.
#
# fish 4 sends marks itself, without the nonce. Ours count from their first on;
# its own then are foreign, as those of a file that is printed.
#
# The hooks are functions that wait for events, which fish gives $status and
# $pipestatus of the command. What fish writes between C and the command's own
# output (the title, a colour, CR) is in the raw output. No process is started.
#
# Names: everything of ours begins with __amux_.

# Prints to the terminal, wherever the output goes.
function __amux_print
    builtin printf '\e]133;%s\a' $argv[1] >/dev/tty 2>/dev/null
end

# Asks tmux for the nonce of this pane: `exec fish` has lost the variable that
# held it. Once, when the shell starts. A tmux without nonces prints nothing.
function __amux_ask
    set -l tmux $AMUX_TMUX
    if not set -q TMUX TMUX_PANE
        return
    end
    if test -z "$tmux"
        set tmux (builtin command -s tmux-custom)
    end
    if test -z "$tmux"
        set tmux /proc/(string split , -- $TMUX)[-2]/exe
    end
    $tmux display-message -p -t $TMUX_PANE \
        '#{?pane_nonce,#{pane_nonce},#{@amux_nonce}}' </dev/null 2>/dev/null
end

# After a command. What gives no status of its own (set, a comment, a job in the
# background) leaves that of the command before: it is 0.
function __amux_ended --on-event fish_postexec
    set -l statuses $status $pipestatus
    if test "$__amux_generation" = "$status_generation"
        set statuses 0 0
    end
    set -l pipe
    # `! false | true` is 1 although the last command's status is 0.
    if test (count $statuses) -gt 2 -a $statuses[1] = $statuses[-1]
        set pipe ";pipe="(string join , -- $statuses[2..])
    end
    __amux_print "D;$statuses[1]$__amux_aid$pipe"
    set -g __amux_starts
    __amux_back
end

# A line that fish refuses stays in its editor, where the next one would be added
# to it. 127 is what `fish -c` ends with.
function __amux_refused --on-event fish_posterror
    __amux_print "D;127$__amux_aid"
    commandline -f cancel-commandline
    __amux_print "A$__amux_aid"
end

# Ctrl-C at the prompt: fish draws the prompt again.
function __amux_cancelled --on-event fish_cancel
    __amux_print "A$__amux_aid"
end

# Before a prompt. Startup files have been read by then, and may have set
# another prompt.
function __amux_prompts --on-event fish_prompt
    __amux_back
    if not functions -q __amux_begins
        __amux_last
    end
    if not functions fish_prompt | string match -q '*__amux_user_prompt*'
        __amux_wrap
    end
    # In one go: between the two the shell would seem to be at a prompt already.
    set -l none
    if test -n "$__amux_starts"
        set -g __amux_starts
        set none '\e]133;B\a'
    end
    builtin printf "$none\e]133;A$__amux_aid\a" >/dev/tty 2>/dev/null
end

# Puts B behind the user's prompt.
function __amux_wrap
    functions -e __amux_user_prompt
    functions -c fish_prompt __amux_user_prompt
    function fish_prompt
        __amux_user_prompt
        builtin printf '\e]133;B%s\a' $__amux_aid
    end
end

# Events go to the oldest function first: what the others print before a command
# is not its output.
function __amux_last
    function __amux_begins --on-event fish_preexec
        set -g __amux_generation $status_generation
        # tmux keeps 4,096 bytes of a mark.
        set -l line (string sub -l 1300 -- "$argv[1]" | string collect)
        __amux_print "C$__amux_aid;cmdline_url="(string escape --style=url -- $line)
        if string match -qr '(^|[\s;&|])exec\s' -- "$argv[1]"
            __amux_lead
        end
    end
end

# `exec fish` must come here again: XDG_DATA_DIRS leads to us, until the next
# prompt.
function __amux_lead
    if test -z "$__amux_folder"
        return
    end
    set -g __amux_led yes
    set -l folders "$XDG_DATA_DIRS"
    if set -q XDG_DATA_DIRS
        set -gx AMUX_XDG_DATA_DIRS "$XDG_DATA_DIRS"
    else
        set folders /usr/local/share:/usr/share
    end
    set -gx XDG_DATA_DIRS "$__amux_folder:$folders"
end

# XDG_DATA_DIRS is as it was without us.
function __amux_back
    if test -z "$__amux_led"
        return
    end
    set -g __amux_led
    if set -q AMUX_XDG_DATA_DIRS
        set -gx XDG_DATA_DIRS "$AMUX_XDG_DATA_DIRS"
        set -e AMUX_XDG_DATA_DIRS
    else
        set -e XDG_DATA_DIRS
    end
end

# Tells whether there is a shell to install for, and sets what the hooks need.
function __amux_start
    if not status is-interactive; or string match -qr '^([12]|3\.[0-5])\.' -- $version
        return 1
    end
    set -l nonce $AMUX_NONCE
    set -e AMUX_NONCE
    # Where tmux gives no nonces, whoever made the pane has put one on it, which
    # a process that takes the first one's place must ask for.
    if not string match -qr '^[0-9a-f]{32}$' -- $nonce; and test -n "$AMUX_SHELL_PID$AMUX_RECORD"
        if test -z "$AMUX_SHELL_PID" -o "$AMUX_SHELL_PID" = $fish_pid
            set nonce (__amux_ask)
        else if not set -q AMUX_SHELL_PANE; or test "$AMUX_SHELL_PANE" = "$TMUX,$TMUX_PANE"
            # A shell inside the pane's shell.
            return 1
        end
    end
    if not string match -qr '^[0-9a-f]{32}$' -- $nonce
        set nonce
    end
    # A program started from this shell may start a tmux of its own, whose panes
    # inherit the variable: the pane's name tells them from a nested shell.
    set -gx AMUX_SHELL_PID $fish_pid
    set -gx AMUX_SHELL_PANE "$TMUX,$TMUX_PANE"
    set -g __amux_aid
    if test -n "$nonce"
        set -g __amux_aid ";aid=$nonce"
    end
    set -g __amux_led
    set -g __amux_generation
    # fish reads keys before its first prompt, and so looks like a shell without
    # marks that waits for a line. Until then something runs, says a C; that it
    # was no command, a B. Without the nonce: what is ours begins with the prompt.
    set -g __amux_starts
    if test "$status_generation" = 0
        set -g __amux_starts yes
        builtin printf '\e]133;C\a' >/dev/tty 2>/dev/null
    end
end

__amux_back
if test "$__amux_shell" = $fish_pid
    # Loaded before, in this very process.
else if __amux_start
    set -g __amux_shell $fish_pid
else
    functions -e (functions -a | string match '__amux_*')
end
functions -e __amux_start __amux_ask
