//! A search on threads of its own.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use plyscope_core::judge::{
    evaluation::Evaluator,
    limits::{Limits, NODES_BETWEEN_QUESTIONS, Observer},
    position_key::PositionKey,
    search::Iteration,
};
use shakmaty::Chess;

use super::{Output, clock::Clock, command::Go, options::Options, report, write_line};
use crate::{
    engine::{Engine, SharedTable, search_once},
    evaluation::WithEvaluator,
    labeller::uci_line,
    win_models::{self, Form},
};

/// How often an endless search that is done looks whether it may answer.
const ANSWER_POLL: Duration = Duration::from_millis(2);

/// Everything that a search needs.
pub(super) struct SearchJob {
    pub(super) position: Chess,
    pub(super) game: Vec<PositionKey>,
    pub(super) go: Go,
    pub(super) options: Options,
    pub(super) table: Arc<SharedTable>,
    pub(super) output: Output,
}

/// A search under way.
pub(super) struct RunningSearch {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl RunningSearch {
    /// Ends the search and waits until it has answered.
    pub(super) fn stop(self) {
        self.stop.store(true, Relaxed);
        // A search that panicked has answered nothing and left its message on stderr.
        let _ = self.thread.join();
    }
}

impl SearchJob {
    pub(super) fn start(self) -> io::Result<RunningSearch> {
        let stop = Arc::new(AtomicBool::new(false));
        let heard = Arc::clone(&stop);
        let thread = thread::Builder::new().stack_size(16 << 20).spawn(move || {
            let evaluation = self.options.evaluation;
            let answer = evaluation.lend(Search { job: &self, stop: &heard });
            while self.go.infinite && !heard.load(Relaxed) {
                thread::sleep(ANSWER_POLL);
            }
            // When nobody reads any more, the next line read will be the last.
            let _ = write_line(&self.output, &answer);
        })?;
        Ok(RunningSearch { stop, thread })
    }

    fn limits(&self) -> Limits {
        let unlimited = Limits::UNLIMITED;
        Limits {
            depth: self.go.depth.unwrap_or(unlimited.depth),
            nodes: self.go.nodes.unwrap_or(unlimited.nodes),
        }
    }
}

struct Search<'j> {
    job: &'j SearchJob,
    stop: &'j AtomicBool,
}

impl WithEvaluator for Search<'_> {
    type Output = String;

    /// The `bestmove` line. Further threads search the same position over the same table, and help by what they leave
    /// there.
    fn run<E>(self, evaluator: &E) -> String
    where
        E: Evaluator + Sync,
        E::State: Send,
    {
        let Search { job, stop } = self;
        let table = job.table.lend();
        let helped_nodes = AtomicU64::new(0);
        let main_done = AtomicBool::new(false);
        let found = thread::scope(|scope| {
            for _ in 1..job.options.threads {
                scope.spawn(|| {
                    let mut helping = Helping { done: &main_done, nodes: &helped_nodes };
                    let limits = Limits::UNLIMITED;
                    search_once(evaluator, &table, &job.position, &job.game, limits, &mut helping);
                });
            }
            let mut watch = Watch {
                job,
                stop,
                clock: Clock::start(&job.go, shakmaty::Position::turn(&job.position), job.options.overhead),
                helped_nodes: &helped_nodes,
                fill: &|| table.fill_per_mille(),
            };
            let mut engine = Engine::with_histories(evaluator, job.table.take_histories());
            let found = engine.search(&table, &job.position, &job.game, job.limits(), &mut watch);
            job.table.keep_histories(engine.into_histories());
            main_done.store(true, Relaxed);
            found
        });
        if found.depth == 0 {
            let score = report::score(found.score);
            let _ = write_line(&job.output, &format!("info depth 0 score {score}"));
            return "bestmove (none)".into();
        }
        let line = uci_line(&job.position, &found);
        match line.as_slice() {
            [] => "bestmove (none)".into(),
            [best] => format!("bestmove {best}"),
            [best, reply, ..] => format!("bestmove {best} ponder {reply}"),
        }
    }
}

/// Reports the search and ends it by clock or command.
struct Watch<'w> {
    job: &'w SearchJob,
    stop: &'w AtomicBool,
    clock: Clock,
    helped_nodes: &'w AtomicU64,
    fill: &'w dyn Fn() -> u32,
}

impl Observer for Watch<'_> {
    fn must_stop(&mut self, _nodes: u64) -> bool {
        self.stop.load(Relaxed) || self.clock.is_over()
    }

    fn completed(&mut self, iteration: &Iteration) -> bool {
        let nodes = iteration.nodes + self.helped_nodes.load(Relaxed);
        let Options { shows_wdl, evaluation, .. } = &self.job.options;
        let model = shows_wdl.then(|| win_models::shipped(evaluation, Form::Sf));
        let line = report::info(
            &self.job.position,
            iteration,
            nodes,
            self.clock.elapsed(),
            (self.fill)(),
            model.as_ref(),
        );
        let _ = write_line(&self.job.output, &line);
        self.stop.load(Relaxed) || self.clock.leaves_no_iteration()
    }
}

/// A further thread's view: it ends when the main one has.
struct Helping<'w> {
    done: &'w AtomicBool,
    nodes: &'w AtomicU64,
}

impl Observer for Helping<'_> {
    fn must_stop(&mut self, _nodes: u64) -> bool {
        self.nodes.fetch_add(NODES_BETWEEN_QUESTIONS, Relaxed);
        self.done.load(Relaxed)
    }

    fn completed(&mut self, _iteration: &Iteration) -> bool {
        self.done.load(Relaxed)
    }
}
