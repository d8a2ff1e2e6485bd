/** Everything that may happen next in the model, in any order: the engine's steps, and what goes wrong. */
import { beginFresh, resume, writeJournal } from './begin.js';
import { save } from './journal.js';
import { laneSteps } from './lane-steps.js';
import { type Events, lanes, type Setup } from './setup.js';
import { apply, close, forget, isClosed } from './sinks.js';
import { isFinished, type State, type Step, spend, withSinks } from './state.js';

export function nextSteps(state: State, setup: Setup): readonly Step[] {
  return [...applySteps(state), ...engineSteps(state, setup), ...eventSteps(state, setup)];
}

/** A server applies what it was sent, whether or not the process that sent it still runs. */
function applySteps(state: State): readonly Step[] {
  return state.sinks.flatMap((sink, at) => {
    if (sink.kind === 'cut') return [];
    return sink.sent.map(({ lane, keep, items }, index) => ({
      name: `sink ${at} applies ${lane}${keep === undefined ? ' items' : ` keep ${keep.pages}`} (${items.length})`,
      state: withSinks(state, (each, which) => (which === at && each.kind !== 'cut' ? apply(each, index) : each)),
    }));
  });
}

function engineSteps(state: State, setup: Setup): readonly Step[] {
  switch (state.phase) {
    case 'resuming':
      return [{ name: 'journal anew', state: writeJournal(state, setup) }];
    case 'up':
      return pageSteps(state, setup);
    case 'publishing':
      return [publishStep(state, setup)];
    default:
      return [];
  }
}

function pageSteps(state: State, setup: Setup): readonly Step[] {
  const { process } = state;
  if (process === undefined) return [];
  const steps = lanes.flatMap((lane) => laneSteps(state, setup, process, lane));
  if (!lanes.every((lane) => isFinished(process.lanes[lane]))) return steps;
  const saved = save(state, setup);
  const publishing: State = { ...saved, phase: 'publishing', journal: { ...saved.journal, phase: 'publishing' } };
  return [...steps, { name: 'publishing', state: publishing }];
}

/** Sinks close one after the other, each as often as it must. */
function publishStep(state: State, setup: Setup): Step {
  const next = state.sinks.findIndex((sink) => !isClosed(sink));
  if (next < 0) {
    return { name: 'done', state: { ...state, phase: 'done', journal: { ...state.journal, phase: 'done' } } };
  }
  const closed = withSinks(state, (sink, at) => (at === next ? close(sink, setup, state.run) : sink));
  return { name: `sink ${next} closes`, state: closed };
}

function eventSteps(state: State, setup: Setup): readonly Step[] {
  const { phase } = state;
  const can = (event: keyof Events) => state.left[event] > 0;
  const steps: Step[] = [];
  if (phase === 'up' && can('save')) steps.push({ name: 'save', state: save(spend(state, 'save'), setup) });
  if (phase === 'up' && can('change') && state.api === 'a') {
    steps.push({ name: 'API changes', state: { ...spend(state, 'change'), api: 'b' } });
  }
  if (phase === 'down') {
    steps.push({ name: 'resume', state: resume(state, setup) });
    if (can('fresh')) steps.push({ name: 'fresh start', state: beginFresh(spend(state, 'fresh'), setup) });
  }
  if (phase !== 'up' && phase !== 'resuming' && phase !== 'publishing') return steps;
  if (can('kill')) steps.push({ name: 'KILL', state: ended(spend(state, 'kill')) });
  if (phase === 'publishing') return steps;
  if (can('power')) steps.push(...powerCuts(spend(state, 'power')));
  if (can('loss')) steps.push({ name: 'LOG LOSES ITS TAIL', state: lose(spend(state, 'loss')) });
  return steps;
}

const ended = (state: State): State => ({ ...withSinks(state, forget), phase: 'down', process: undefined });

function powerCuts(state: State): readonly Step[] {
  const { journal } = state;
  const shorter: State = { ...state, journal: { ...journal, lines: journal.lines.slice(0, journal.saved) } };
  const withoutRows = ({ savedParts, ...others }: State): State => ({ ...others, savedParts, parts: savedParts });
  return [
    { name: 'POWER CUT: the journal loses its end', state: ended(shorter) },
    { name: 'POWER CUT: files lose their end', state: ended(withoutRows(withSinks(state, unsynced))) },
    { name: 'POWER CUT: both lose their end', state: ended(withoutRows(withSinks(shorter, unsynced))) },
  ];
}

function unsynced(sink: State['sinks'][number]): State['sinks'][number] {
  if (sink.kind !== 'cut') return sink;
  const { synced } = sink;
  const files = Object.entries(sink.files).map(([type, items]) => [type, items.slice(0, synced[type])] as const);
  return { ...sink, files: Object.fromEntries(files) };
}

function lose(state: State): State {
  const lost = withSinks(state, (sink) => (sink.kind === 'cut' ? sink : { ...sink, ...sink.saved, sent: [] }));
  return ended(lost);
}
