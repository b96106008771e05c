// Tones of the states of warps, for every page that draws them: an issue stands out; states of one kind have colours of
// one kind.
const stallTones = {selected: 's0', not_selected: 't7', wait: 't5', long_scoreboard: 't1', short_scoreboard: 't4', math_pipe_throttle: 't3',
  lg_throttle: 't9', tex_throttle: 't11', mio_throttle: 't12', barrier: 't6', membar: 't14', branch_resolving: 't0', no_instruction: 't2', imc_miss: 't10',
  sleeping: 't13', drain: 't15'};
