// Questions to the library. A lane is a worker that answers one question after the other; only the newest question of each name waits.

/** The reasons why a question has no answer. */
export class Superseded extends Error {}
export class TooLong extends Error {}

export class Lane {
  #worker = null; #module; #limit; #firstLimit; #warm = false; #next = 1; #current = null; #waiting = new Map(); #timer = 0; #started;
  ended = 0; // how often the worker was ended

  /**
   * module is a promise of the compiled program, or null: then this lane loads it. limit is how long an answer may take, in ms,
   * and firstLimit the first answer of a worker, whose code is not optimized yet.
   */
  constructor(module, limit, firstLimit) {
    this.#module = module;
    this.#limit = limit;
    this.#firstLimit = firstLimit;
  }

  /** start starts the worker, and returns a promise of the compiled program. */
  start() {
    return this.#started ??= this.#begin();
  }

  async #begin() {
    const module = await this.#module;
    const worker = new Worker('worker.js');
    this.#worker = worker;
    return new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => {
        if (data.ready) { this.#module = data.module; resolve(data.module); }
        else if (data.ended) { reject(new Error(data.ended)); this.#end(new Error(data.ended)); }
        else this.#answered(data);
      };
      worker.onerror = (e) => { reject(new Error(e.message)); this.#end(new Error(e.message)); };
      worker.postMessage({ start: true, module: module ?? undefined });
    });
  }

  /** ask returns a promise of the answer. A question that waits is dropped for a newer one of the same name. */
  ask(name, question) {
    return new Promise((resolve, reject) => {
      this.#waiting.get(name)?.reject(new Superseded());
      this.#waiting.delete(name);
      this.#waiting.set(name, { question, resolve, reject });
      this.#send();
    });
  }

  async #send() {
    if (this.#waiting.size === 0) return;
    try {
      await this.start();
    } catch (e) {
      for (const q of this.#waiting.values()) q.reject(e);
      this.#waiting.clear();
      return;
    }
    if (this.#current || this.#waiting.size === 0) return;
    const [name, q] = this.#waiting.entries().next().value;
    this.#waiting.delete(name);
    this.#current = { ...q, id: this.#next++ };
    this.#timer = setTimeout(() => this.#end(new TooLong()), this.#warm ? this.#limit : this.#firstLimit);
    this.#worker.postMessage({ id: this.#current.id, question: q.question });
  }

  #answered({ id, reply }) {
    if (this.#current?.id !== id) return;
    const { resolve, reject } = this.#current;
    this.#warm = true;
    clearTimeout(this.#timer);
    this.#current = null;
    const { answer, error } = JSON.parse(reply);
    if (error) reject(new Error(error)); else resolve(answer);
    this.#send();
  }

  // #end ends the worker with what it is at. The next question starts another one, with the same program.
  #end(why) {
    clearTimeout(this.#timer);
    this.#worker?.terminate();
    this.#worker = null;
    this.#warm = false;
    this.#started = undefined;
    this.ended++;
    const lost = this.#current;
    this.#current = null;
    lost?.reject(why);
    if (why instanceof TooLong) { this.#send(); return; }
    for (const q of this.#waiting.values()) q.reject(why);
    this.#waiting.clear();
  }
}
