/**
 * The scripts for shells. Each asks `rxtract completion candidates` for the words, and leaves the completion of plain
 * paths to its shell.
 */

/** For bash from 3.2 on, without bash-completion. bash splits words at `=` and `:`: they are joined again here. */
const bash = `# Completion of rxtract for bash: source <(rxtract completion bash)
_rxtract() {
  local rest=\${COMP_LINE:0:COMP_POINT} word line kind i n=-1
  local words=() found=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ i -eq 0 || $rest == [[:space:]]* ]]; then
      rest=\${rest#"\${rest%%[![:space:]]*}"}
      n=$((n + 1))
      words[n]=''
    fi
    [[ \${#word} -gt \${#rest} ]] && word=$rest
    words[n]+=$word
    rest=\${rest#"$word"}
  done
  local last=\${words[n]} command=\${words[0]/#\\~/$HOME}
  last=\${last#[\\"\\']}
  words[n]=$last
  kind=
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; else found+=("\${line%%$'\\t'*}"); fi
  done < <("$command" completion candidates -- "\${words[@]:1}" 2>/dev/null)

  COMPREPLY=()
  local part=\${last##*[=:]} head
  [[ $COMP_WORDBREAKS == *:* ]] || part=\${last##*=}
  head=\${last%"$part"}
  for word in "\${found[@]}"; do COMPREPLY+=("\${word#"$head"}"); done
  if [[ \${#found[@]} -eq 1 && \${found[0]} == *[=:/] ]]; then compopt -o nospace 2>/dev/null; fi
  if [[ $kind == folders ]]; then
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$last")
    compopt -o filenames 2>/dev/null
  elif [[ $kind == files ]]; then
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$last")
    compopt -o filenames 2>/dev/null
  fi
}
complete -F _rxtract rxtract
`;

const zsh = `#compdef rxtract
# Completion of rxtract for zsh: source <(rxtract completion zsh), or this text as _rxtract in a folder of fpath
_rxtract() {
  local -a lines words_found shown open_found open_shown
  local line word about kind
  lines=("\${(@f)$("\${(Q)words[1]/#\\~/$HOME}" completion candidates -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  kind=$lines[1]
  for line in "\${(@)lines[2,-1]}"; do
    [[ -n $line ]] || continue
    word=\${line%%$'\\t'*}
    about=$word
    [[ $line == *$'\\t'* ]] && about="$word  -- \${line#*$'\\t'}"
    if [[ $word == *[=:/] ]]; then
      open_found+=("$word"); open_shown+=("$about")
    else
      words_found+=("$word"); shown+=("$about")
    fi
  done
  (( $#words_found )) && compadd -l -d shown -a words_found
  (( $#open_found )) && compadd -S '' -l -d open_shown -a open_found
  case $kind in
    files) _files ;;
    folders) _files -/ ;;
  esac
}
if [[ \${funcstack[1]} == _rxtract ]]; then _rxtract "$@"; else compdef _rxtract rxtract; fi
`;

/** fish takes candidates as they are: a word, a tab, its meaning. */
const fish = `# Completion of rxtract for fish: rxtract completion fish > ~/.config/fish/completions/rxtract.fish
function __rxtract_candidates
    set -l before (commandline -opc)
    set -l last (commandline -ct)
    set -l lines ($before[1] completion candidates -- $before[2..-1] "$last" 2>/dev/null)
    set -l kind $lines[1]
    set -e lines[1]
    for line in $lines
        echo $line
    end
    switch "$kind"
        case files
            __fish_complete_path "$last"
        case folders
            __fish_complete_directories "$last" ''
    end
end
complete -c rxtract -f -a '(__rxtract_candidates)'
`;

export const scripts = { bash, zsh, fish } as const;
