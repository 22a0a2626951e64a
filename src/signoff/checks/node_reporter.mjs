// A reporter for `node --test`: JUnit XML in which a case says which file it is from.
//
// Node's own `junit` reporter gives every case the class name "test", drops the failure of a test that has
// subtests, and lists a file without tests as a passed test. Here the class name is the file, relative to the
// working directory; a file that could not be loaded is a case that is named like its file.

import path from 'node:path';

const ILLEGAL = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

function attribute(text) {
  return String(text).replace(ILLEGAL, '\uFFFD').replace(/[&<>"\t\n\r]/g, (char) => `&#${char.charCodeAt(0)};`);
}

function isSet(mark) {
  return mark !== undefined && mark !== false;
}

function body(type, data) {
  if (isSet(data.skip) || isSet(data.todo)) return '<skipped/>';
  return type === 'test:fail' ? '<failure/>' : '';
}

function isWorthACase(type, data, isFile) {
  if (isFile) return type === 'test:fail';
  if (data.details?.type !== 'suite') return true;
  // A suite fails with its tests, which speak for themselves, or by itself: in a hook, or while being built.
  return type === 'test:fail' && data.details.error?.failureType !== 'subtestsFailed';
}

export default async function* report(source) {
  const open = [];
  yield '<?xml version="1.0" encoding="utf-8"?>\n<testsuites><testsuite name="node">\n';
  for await (const { type, data } of source) {
    if (type === 'test:start') {
      open.length = data.nesting;
      open.push(data.name);
    } else if (type === 'test:pass' || type === 'test:fail') {
      const file = data.file ? path.relative(process.cwd(), data.file) : '';
      const isFile = data.nesting === 0 && data.file && path.resolve(data.name) === path.resolve(data.file);
      if (isWorthACase(type, data, isFile)) {
        const name = isFile ? file : [...open.slice(0, data.nesting), data.name].join(' > ');
        yield `<testcase classname="${attribute(file)}" name="${attribute(name)}">${body(type, data)}</testcase>\n`;
      }
    }
  }
  yield '</testsuite></testsuites>\n';
}
