/** ZIP archives against the module zipfile of Python: it reads ours, and writes some that we read. */
import * as assert from 'uvu/assert';
import { sourceOf } from '../../../../src/core/util/byte-source.js';
import { decodedBody } from '../../../../src/http/decoding/decode-body.js';
import { type FileInZip, makeZip } from '../../../http/decoding/zip/make-zip.js';
import { pieces } from '../../scanner-run.js';
import { numbersFrom } from '../random-csv.js';
import { inPython, seedsFrom, sizesFor } from './python.js';

/** Python writes to a file and to a stream, which has its sizes after the data. */
const program = `
import base64, io, zipfile
class Stream(io.RawIOBase):
    def __init__(self, made): self.made = made
    def writable(self): return True
    def seekable(self): return False
    def write(self, data):
        self.made.write(data)
        return len(data)
def each(case):
    archive = zipfile.ZipFile(io.BytesIO(base64.b64decode(case['archive'])))
    assert archive.testzip() is None
    read = [base64.b64encode(archive.read(name)).decode() for name in archive.namelist() if not name.endswith('/')]
    made = io.BytesIO()
    with zipfile.ZipFile(Stream(made) if case['streams'] else made, 'w') as writer:
        for name, data, stored in case['files']:
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
            with writer.open(info, 'w', force_zip64=case['wide']) as target: target.write(base64.b64decode(data))
        writer.comment = case['comment'].encode()
    return {'read': read, 'written': base64.b64encode(made.getvalue()).decode()}
`;

interface PythonZip {
  readonly read: readonly string[];
  readonly written: string;
}

const descriptors = [undefined, undefined, 'signed', 'bare', 'wide', 'wide and bare'] as const;

function randomFiles(seed: number): readonly FileInZip[] {
  const next = numbersFrom(seed);
  return Array.from({ length: next(6) }, (_, at) => {
    const words = ['PK\x03\x04', 'PK\x07\x08', 'PK\x01\x02', 'abc', '\n', '\0', '漢', 'x'.repeat(next(300))];
    const data = Array.from({ length: next(12) }, () => words[next(words.length)]).join('');
    const descriptor = descriptors[next(descriptors.length)];
    const folder = ['', 'f/', 'f/漢/'][next(3)] ?? '';
    // The end of stored data without a signature cannot be found.
    const isStored = descriptor?.endsWith('bare') !== true && next(3) === 0;
    const file = { name: `${folder}${at}`, data, isStored, isWide: next(4) === 0 };
    return descriptor === undefined ? file : { ...file, descriptor };
  });
}

/** Throws for the first seed of so many with another result. */
export async function zipTrips(first: number, count: number): Promise<void> {
  const cases = seedsFrom(first, count).map((seed) => {
    const files = randomFiles(seed);
    const comment = seed % 4 === 0 ? 'a comment' : '';
    return { seed, files, comment, archive: makeZip(files, { comment, isWide: seed % 3 === 0 }) };
  });
  const results = inPython(
    program,
    cases.map(({ seed, files, comment, archive }) => ({
      ...{ archive: archive.toString('base64'), comment, streams: seed % 2 === 0, wide: seed % 5 === 0 },
      files: files.map(({ name, data, isStored }) => [name, Buffer.from(data).toString('base64'), isStored]),
    })),
  );
  for (const [at, { seed, files, archive }] of cases.entries()) {
    const { read, written } = results[at] as PythonZip; // as the program says
    const expected = files.map(({ data }) => data.toString());
    const byPython = read.map((each) => Buffer.from(each, 'base64').toString());
    assert.equal(byPython, expected, `seed ${seed}: Python reads other files`);
    for (const each of [archive, Buffer.from(written, 'base64')]) {
      for (const size of sizesFor(seed, each.length)) {
        assert.equal(await filesIn(each, size), expected, `seed ${seed}, chunks of ${size}`);
      }
    }
  }
}

async function filesIn(archive: Buffer, size: number): Promise<readonly string[]> {
  const files: string[] = [];
  let made: Uint8Array[] = [];
  await decodedBody(sourceOf(pieces(archive, size)), { decode: ['unzip'], members: ['**'] }).read(
    (chunk) => void made.push(chunk),
    () => {
      files.push(Buffer.concat(made).toString());
      made = [];
    },
  );
  return files;
}
