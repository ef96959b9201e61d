import { DESK_WAYS } from "../messages/desk.ts";
import { leadOf, type Command, type Told } from "../messages/sentence.ts";
import { markup, type Html, type Shown } from "../pages/html.ts";

const ofBatch = ({ batch = "" }: Command): string => `/batch/${batch}`;
const decide = ({ batch = "" }: Command): string => `/decide?batch=${batch}`;

/** Where the desk has what a command does. Nobody is told of another one here, who may have no command line. */
const PLACES: Readonly<Record<keyof typeof DESK_WAYS, (command: Command) => string | undefined>> = {
  approve: () => "/approvals",
  // of single rows only what is held
  cancel(command) {
    if (command.flags["row"] !== undefined) return undefined;
    return command.flags["held"] === true ? decide(command) : `${ofBatch(command)}#may`;
  },
  help: ({ operand }) => `/help/${operand ?? ""}`,
  pause: (command) => `${ofBatch(command)}#may`,
  reconcile: () => "/reconcile",
  release: decide,
  resume: (command) => (command.batch === undefined ? "/" : `${ofBatch(command)}#may`),
  retry: (command) => `${ofBatch(command)}#may`,
  settle: decide,
  status: (command) => (command.batch === undefined ? undefined : ofBatch(command)),
};

const isWay = (name: string | undefined): name is keyof typeof DESK_WAYS =>
  name !== undefined && Object.hasOwn(DESK_WAYS, name);

/** What is to be done, and the way to it where there is one. `here`: the page with the buttons for it, which needs no link. */
export function todoShown({ todo, commands }: Pick<Told, "todo" | "commands">, here?: string): Html {
  const ways = commands.flatMap((command): readonly Shown[] => {
    const { name } = command;
    const place = isWay(name) && PLACES[name](command);
    if (!place) return [];
    const word = DESK_WAYS[name];
    const way = here !== undefined && place.startsWith(here) ? word : markup`<a href="${place}">${word}</a>`;
    return [markup` ${leadOf(command)} ${way}.`];
  });
  return markup`${todo}${ways}`;
}
