# Where XDG_DATA_DIRS leads in a window of amux, ahead of its other folders: fish
# reads this file before those of the user. The variable is the user's again
# (AMUX_XDG_DATA_DIRS, unset where it was not set).
set -l folder (path resolve (status filename) | path dirname | path dirname | path dirname)
if set -q AMUX_XDG_DATA_DIRS
    set -gx XDG_DATA_DIRS "$AMUX_XDG_DATA_DIRS"
    set -e AMUX_XDG_DATA_DIRS
else
    set -e XDG_DATA_DIRS
end
if status is-interactive
    set -g __amux_folder $folder
    source $folder/amux.fish
end
