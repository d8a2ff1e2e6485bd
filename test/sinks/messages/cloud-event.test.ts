/** Judged by the official SDK, the package `cloudevents`. */
import { CloudEvent, HTTP, type Message } from 'cloudevents';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import { type CloudEventOptions, cloudEventMembers, cloudEvents } from '../../../sinks/messages/cloud-event.js';
import { itemBytes, messageIds } from '../../../sinks/messages/message-id.js';
import { ExactNumber } from '../../../src/core/json/exact.js';

const place = { run: 'Jx0a9_Kq2Lm-Zp4T', walk: '3/7.0.14.2', page: 7, offset: 35 };
const options: CloudEventOptions = {
  address: 'https://ada:secret@api.example:8443/v2/?key=secret#top',
  time: new Date('2026-11-22T08:00:00Z'),
};
const awkward = [
  { id: 12345678901234567890n, price: new ExactNumber('1.0') },
  { b: 1, a: 2, '': null },
  { text: 'č 語 😀 \u2028 \\ " \n \u0000 \u007f </script>' },
  [],
  'text',
  7,
  null,
  true,
];
const batchFor = (items: readonly unknown[], dataType = 'users', job = 'users/{id}/orders') => ({
  ...batchOf(dataType, items, job),
  ...place,
});

/** Throws unless the SDK takes the message for one valid event. */
function received(message: Message): CloudEvent {
  const event = HTTP.toEvent(message);
  assert.instance(event, CloudEvent);
  if (!(event instanceof CloudEvent)) throw new Error('the SDK took one event for several');
  assert.ok(event.validate());
  return event;
}

const read = (event: Uint8Array): CloudEvent =>
  received({
    headers: { 'content-type': 'application/cloudevents+json' },
    body: Buffer.from(event).toString(),
  });

test('writes the members in a fixed order, and the bytes of the item last', () => {
  const [event] = cloudEvents(batchFor([{ id: 12345678901234567890n, price: new ExactNumber('1.0') }]), options);
  assert.is(
    Buffer.from(event ?? []).toString(),
    '{"specversion":"1.0","id":"IqYl0WHtFC1fnvw8-z-Ac24hxdl","source":"https://api.example:8443/v2/#users%2F%7Bid%7D%2Forders",' +
      '"type":"rxtract.item","subject":"users","time":"2026-11-22T08:00:00.000Z","datacontenttype":"application/json",' +
      '"rxtractrun":"Jx0a9_Kq2Lm-Zp4T","rxtractwalk":"3/7.0.14.2","rxtractpage":7,"rxtractoffset":35,' +
      '"data":{"id":12345678901234567890,"price":1.0}}',
  );
});

test('the SDK takes each event as valid, with the members as they were written', () => {
  const batch = batchFor(awkward);
  const events = cloudEvents(batch, { ...options, type: 'example.order' });
  const ids = messageIds(batch);
  assert.is(events.length, awkward.length);
  for (const [index, bytes] of events.entries()) {
    const event = read(bytes);
    assert.equal(
      [event.specversion, event.id, event.type, event.subject, event.time, event.datacontenttype],
      ['1.0', ids[index], 'example.order', 'users', '2026-11-22T08:00:00.000Z', 'application/json'],
    );
    assert.is(event.source, 'https://api.example:8443/v2/#users%2F%7Bid%7D%2Forders');
    assert.equal([event.rxtractrun, event.rxtractwalk], [place.run, place.walk]);
    assert.equal([event.rxtractpage, event.rxtractoffset], [7, 35 + index]);
  }
});

test('the SDK finds the data of each event', () => {
  const items = [{ b: 1, a: 'č 語 😀 \u2028' }, [1, 2], { deep: { list: [null] } }];
  const found = cloudEvents(batchFor(items), options).map(read);
  assert.equal(
    found.map(({ data }) => data),
    items,
  );
});

test('keeps every byte of an item', () => {
  const batch = batchFor(awkward);
  for (const [index, event] of cloudEvents(batch, options).entries()) {
    const data = Buffer.from(event).subarray(Buffer.from(event).indexOf('"data":') + '"data":'.length, -1);
    assert.ok(data.equals(itemBytes(batch, index)), Buffer.from(event).toString());
  }
});

test('the SDK takes the members as the headers of binary mode', () => {
  const [members] = cloudEventMembers(batchFor([{ n: 1 }]), options);
  const { datacontenttype = '', ...others } = { ...members };
  const headers = Object.fromEntries(Object.entries(others).map(([name, value]) => [`ce-${name}`, String(value)]));
  const event = received({ headers: { 'content-type': datacontenttype, ...headers }, body: '{"n":1}' });
  assert.equal([event.id, event.rxtractpage, event.data], [members?.id, '7', { n: 1 }]);
});

test('the same place and bytes give the same bytes', () => {
  const once = cloudEvents(batchFor(awkward), options).map(String);
  assert.equal(cloudEvents(batchFor(awkward), options).map(String), once);
});

test('a source has no user information and no query, and each character of a job has one reading', () => {
  const sourceOf = (address: string, job: string) =>
    cloudEventMembers(batchFor([1], 'users', job), { ...options, address })[0]?.source;
  assert.is(sourceOf('http://localhost:8080', 'a b'), 'http://localhost:8080/#a%20b');
  assert.is(sourceOf('http://joe:pw@localhost/v1?k=1#x', 'a'), 'http://localhost/v1#a');
  assert.is(sourceOf('urn:shop:eu?=k', 'a'), 'urn:shop:eu#a');
  assert.is(sourceOf('crm://joe:pw@sales/v1?k=1', 'a'), 'crm://sales/v1#a');
  assert.is(
    sourceOf('https://api.example/a%20b/', 'č#?%\ud800'),
    'https://api.example/a%20b/#%C4%8D%23%3F%25%EF%BF%BD',
  );
  assert.throws(() => sourceOf('users', 'users'), TypeError);
});

test('a subject has no character that CloudEvents forbids', () => {
  const [members] = cloudEventMembers(batchFor([1], 'a\nb\u0085\ud800\ufffe č'), options);
  assert.is(members?.subject, 'a%0Ab%C2%85%EF%BF%BD%EF%BF%BE č');
});

test.run();
