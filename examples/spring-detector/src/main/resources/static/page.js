// SPDX-License-Identifier: Apache-2.0
// Shows the samples that the application sends, and tells it what the buttons say. What a sample has is in Sample.java.
import { bars, heatMap, lines } from './charts.js';

const WINDOW = 1; // rates and histograms are of the last second
const MINUTE = 60;
const id = name => document.getElementById(name);
const number = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

let samples = []; // of the last second and a little more
let minute = []; // {seconds, events, asked, vetoed}, each a rate
const reasons = new Map(); // why each consumer is not connected, as far as it was said

// ---- what is received

const source = new EventSource('samples');
source.addEventListener('open', () => {
  samples = []; // it may be another application, which counts from 0
  minute = [];
});
source.addEventListener('error', () => state('no word from the application', false));
source.addEventListener('message', message => show(JSON.parse(message.data)));

function show(sample) {
  samples.push(sample);
  while (samples.length > 2 && sample.seconds - samples[1].seconds >= WINDOW) {
    samples.shift();
  }
  const before = samples[0];
  const seconds = sample.seconds - before.seconds || 1;
  const rate = count => (count(sample) - count(before)) / seconds;
  const since = counts => counts(sample).map((count, i) => count - counts(before)[i]);
  const figures = {
    seconds: sample.seconds,
    events: rate(s => s.events.complete + s.events.incomplete),
    asked: rate(s => s.links.reduce((sum, link) => sum + link.asked, 0)) / sample.links.length,
    vetoed: rate(s => s.source.vetoed),
  };
  minute.push(figures);
  minute = minute.filter(past => sample.seconds - past.seconds <= MINUTE);

  id('events').textContent = number.format(figures.events);
  id('vetoed').textContent = number.format(figures.vetoed);
  id('incomplete').textContent = number.format(sample.events.incomplete);
  id('open').textContent = number.format(sample.events.open);
  showControls(sample);
  showLinks(sample, rate);
  sample.consumers.forEach((consumer, i) => showConsumer(consumer, rate(s => s.consumers[i].received)));
  showState(sample);
  showJournal(sample.journal);
  drawMinute(sample.seconds);
  drawHits(since(s => s.hits), sample);
  drawLatencies(since(s => s.latencies));
  drawSizes(since(s => s.sizes));
}

// ---- words and numbers

function setText(element, text) {
  if (element.textContent !== text) { // or screen readers would read it again
    element.textContent = text;
  }
}

function state(text, good) {
  setText(id('state'), (good ? '● ' : '✕ ') + text);
  id('state').className = 'state ' + (good ? 'good' : 'bad');
}

function showState(sample) {
  const [readout, monitor] = sample.consumers;
  const connected = readout.status === 'CONNECTED';
  state(connected ? 'connected' : 'not connected', connected);
  const full = sample.links.some(link => link.waiting === link.room);
  setText(id('story'), !connected
    ? 'The connection with the detector is lost: ' + reasons.get(readout.name) + '. The readout tries to connect again.'
    : readout.pace === 'STALLED'
      ? 'The readout takes nothing, so it asks for nothing. What the detector has stays in its FIFOs, and when they are full it'
        + ' vetoes every trigger. Nothing is dropped.'
      : readout.pace === 'SLOW' || full
        ? 'The readout takes less than there is, so it asks for less. The FIFOs of the detector fill up, and it vetoes the'
          + ' triggers that are too many. Nothing is dropped.'
        : monitor.pace !== 'FAST'
          ? 'The monitor takes less than there is. What it does not take is dropped, so nobody waits for it, and the readout gets'
            + ' everything.'
          : 'The readout asks for all that there is, and gets it.');
}

function showLinks(sample, rate) {
  const rows = id('links').rows;
  sample.links.forEach((link, i) => {
    const row = rows[i] ?? id('links').insertRow();
    if (!row.cells.length) {
      const head = document.createElement('th');
      head.scope = 'row';
      row.append(head, ...Array.from({ length: 4 }, () => document.createElement('td')));
      [...row.cells].forEach(cell => cell.append(document.createElement('span')));
      const bar = document.createElement('span');
      bar.className = 'bar';
      row.cells[4].append(bar);
    }
    const now = sample.source.simulated && sample.source.alive ? [link.demand, link.waiting].map(number.format) : ['–', '–'];
    [i, number.format(rate(s => s.links[i].received)), number.format(rate(s => s.links[i].asked)), ...now]
      .forEach((value, column) => setText(row.cells[column].firstChild, String(value)));
    row.cells[4].lastChild.style.transform = `scaleX(${link.waiting / link.room})`;
    row.cells[4].className = link.waiting === link.room ? 'full' : '';
  });
}

function showConsumer(consumer, rate) {
  let part = id('of-' + consumer.name);
  if (!part) {
    part = document.createElement('div');
    part.id = 'of-' + consumer.name;
    part.innerHTML = '<h3></h3><p></p><dl></dl>';
    part.querySelector('h3').textContent = consumer.name;
    id('consumers').append(part);
  }
  const connected = consumer.status === 'CONNECTED';
  if (consumer.reason) {
    reasons.set(consumer.name, consumer.reason);
  }
  const words = part.querySelector('p');
  setText(words, connected ? '● connected' : '✕ not connected: ' + (reasons.get(consumer.name) ?? 'not yet'));
  words.className = connected ? 'good' : 'bad';
  const list = part.querySelector('dl');
  Object.entries({
    'received/s': rate,
    dropped: consumer.dropped,
    missed: consumer.missed,
    credits: consumer.credits,
    'credits in use': consumer.held,
    'times connected': consumer.connected,
  }).forEach(([name, value], i) => {
    const entry = list.children[i] ?? list.appendChild(document.createElement('div'));
    if (!entry.children.length) {
      entry.append(document.createElement('dt'), document.createElement('dd'));
      entry.firstChild.textContent = name;
      entry.lastChild.dataset.name = name;
    }
    setText(entry.lastChild, number.format(value));
  });
}

function showJournal(entries) {
  const last = entries[0] ? entries[0].time + entries[0].text : '';
  if (id('journal').dataset.last === last) {
    return;
  }
  id('journal').dataset.last = last;
  id('journal').replaceChildren(...entries.map(entry => {
    const item = document.createElement('li');
    const time = document.createElement('time');
    time.dateTime = entry.time;
    time.textContent = new Date(entry.time).toLocaleTimeString('en-GB');
    item.append(time, entry.text);
    return item;
  }));
}

// ---- charts

function time(micros) {
  return micros < 1e3 ? number.format(micros) + ' µs' : micros < 1e6 ? number.format(micros / 1e3) + ' ms'
    : number.format(micros / 1e6) + ' s';
}

function drawMinute(now) {
  lines(id('minute'), MINUTE, now, minute, [
    { name: 'asked', color: '--band', width: 8, dash: [] },
    { name: 'events', color: '--accent', width: 2, dash: [] },
    { name: 'vetoed', color: '--bad', width: 2, dash: [2, 3] },
  ], number);
  const last = minute[minute.length - 1];
  id('minute').ariaLabel = `Now: ${number.format(last.events)} events built, ${number.format(last.asked)} fragments asked for of`
    + ` each link, ${number.format(last.vetoed)} triggers vetoed, each per second`;
}

function drawHits(hits, sample) {
  heatMap(id('hits'), hits, sample.channels);
  id('hits').ariaLabel = number.format(hits.reduce((sum, n) => sum + n, 0)) + ' hits in the last second';
}

/** The lower edge of a bin of the latencies, in microseconds. */
const edge = bin => 10 * 10 ** (bin / 5);

function drawLatencies(counts) {
  const total = counts.reduce((sum, n) => sum + n, 0);
  const below = share => {
    let sum = 0;
    return edge(counts.findIndex(n => (sum += n) >= share * total) + 1);
  };
  const words = total ? `Half of them less than ${time(below(0.5))}, 99 % less than ${time(below(0.99))}.` : 'None.';
  setText(id('quantiles'), words);
  bars(id('latencies'), counts, [0, 5, 10, 15, 20, 25, 30].map(bin => [bin, time(edge(bin))]));
  id('latencies').ariaLabel = 'Latency of complete events: ' + words;
}

function drawSizes(counts) {
  bars(id('sizes'), counts, [0, 5, 10, 15, 20, 25].map(bin => [bin, String(bin * 8)]));
  const total = counts.reduce((sum, n) => sum + n, 0);
  const mean = counts.reduce((sum, n, bin) => sum + n * (bin + 0.5) * 8, 0) / total;
  id('sizes').ariaLabel = total ? `Size of complete events: ${number.format(mean)} hits on average` : 'No complete events';
}

// ---- buttons

let asked = 0; // requests that are under way: until they are done, what samples say of the buttons is old

let last = Promise.resolve(); // the end of the last request: the next one must not overtake it

function tell(path) {
  asked++;
  last = last.then(() => post(path));
}

async function post(path) {
  try {
    const answer = await fetch(path, { method: 'POST' });
    id('problem').textContent = answer.ok ? '' : 'The application refuses: ' + answer.status;
  } catch (e) {
    id('problem').textContent = 'The application does not answer: ' + e.message;
  } finally {
    asked--;
  }
}

let alive = true;

function showControls(sample) {
  if (asked) {
    return;
  }
  for (const consumer of sample.consumers) {
    id(consumer.name).querySelector(`[value=${consumer.pace}]`).checked = true;
  }
  alive = sample.source.alive;
  id('life').hidden = !sample.source.simulated;
  setText(id('life'), alive ? 'Kill the detector' : 'Revive the detector');
}

for (const consumer of ['readout', 'monitor']) {
  id(consumer).addEventListener('change', event => tell(`consumers/${consumer}/${event.target.value}`));
}
id('life').addEventListener('click', () => tell(alive ? 'detector/kill' : 'detector/revive'));
