/** CommonJS code that requires the package, an ES module. */
import rxtract = require('rxtract');
import sinks = require('rxtract/sinks');
import operators = require('rxtract/operators');

const ended: Promise<rxtract.Summary> = rxtract.run(rxtract.parseConfiguration({}), { to: sinks.memory() });
ended.catch((thrown: unknown) => console.error(thrown instanceof rxtract.ExtractError));
operators.inTurn();
