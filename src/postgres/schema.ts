import { BY_INDEX, ROW_STATES, WAITING_STATES } from "../journal/states.ts";
import { TRUST } from "./trust-schema.ts";

export const POSTGRES_SCHEMA = "paydrop";
/** There is one; a host of another version is refused before anything goes. */
export const POSTGRES_VERSION = 2;

const oneOf = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(", ");
const STATES = oneOf(ROW_STATES);

/**
 * Columns are named as the properties of `store.ts`, and no bank data in clear stands in any of them (I10): see `schema.ts`
 * for what they are. JSON is kept as text (`json`), so that it reads back byte for byte.
 *
 * A batch is cut into shares (README §13). A share has its own turns and turn mark; `owner` holds it until `leaseUntil`, by
 * the clock of the database, and every statement that moves one of its rows on the way names its `epoch`. Whoever changes a
 * row has its share locked, in the order of their numbers.
 */
export const TABLES = `
  CREATE TABLE meta (key text PRIMARY KEY, value text NOT NULL);

  -- run: the run that sends it now; isProven: a row was accepted in it, others may go beside it; stop: why nothing of it goes;
  -- recorder: the host that writes it down
  CREATE TABLE batch (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE,
    environment text NOT NULL CHECK (environment IN ('live', 'test')), destination text NOT NULL, fileName text NOT NULL,
    folder text NOT NULL, format text NOT NULL, sha256 text NOT NULL, sizeBytes bigint NOT NULL, period text,
    reading text NOT NULL, createdAt bigint NOT NULL, rows int NOT NULL DEFAULT 0, total text NOT NULL DEFAULT '0.00',
    label text NOT NULL DEFAULT '', payments text, remarks json,
    phase text NOT NULL CHECK (phase IN ('recording', 'open', 'paused', 'cancelled')),
    owesResults boolean NOT NULL DEFAULT false, isPurged boolean NOT NULL DEFAULT false, lastAt bigint NOT NULL,
    run bigint, isProven boolean NOT NULL DEFAULT false, stop json, recorder text,
    approvers int NOT NULL DEFAULT 0, approvedUntil bigint NOT NULL DEFAULT 0
  );
  CREATE INDEX ON batch (sha256);
  CREATE INDEX ON batch (payments);
  CREATE INDEX ON batch (folder, fileName);
  CREATE INDEX ON batch (destination, environment);
  CREATE INDEX ON batch (lastAt);
  -- what is asked again and again looks at no batch that has ended
  CREATE INDEX ON batch (destination) WHERE run IS NOT NULL;
  CREATE INDEX ON batch (phase) WHERE phase IN ('recording', 'paused');
  CREATE INDEX ON batch (seq) WHERE owesResults;

  -- firstRow, lastRow: its rows, by which they are counted whatever the planner knows of a new batch
  -- commitNo: the last commit of its owner, which let go the rows with turns from markBefore to mark
  -- counted: how many of letGo are in the table past
  CREATE TABLE share (
    batch bigint NOT NULL REFERENCES batch, share int NOT NULL, mark bigint NOT NULL DEFAULT 0,
    nextTurn bigint NOT NULL DEFAULT 1, firstRow int NOT NULL DEFAULT 0, lastRow int NOT NULL DEFAULT 0,
    letGo int NOT NULL DEFAULT 0, counted int NOT NULL DEFAULT 0, lastAt bigint NOT NULL DEFAULT 0, tallies json,
    epoch int NOT NULL DEFAULT 0, owner text, lanes int NOT NULL DEFAULT 0, leasedAt timestamptz, leaseUntil timestamptz,
    takenOverAt timestamptz, commitNo int NOT NULL DEFAULT 0, markBefore bigint NOT NULL DEFAULT 0,
    place bigint NOT NULL DEFAULT 0, payloads bytea,
    PRIMARY KEY (batch, share), CHECK (mark >= 0 AND mark < nextTurn AND counted >= 0 AND counted <= letGo)
  ) WITH (fillfactor = 50);
  -- without the time of the lease, which every commit changes: such a change enters no index anew
  CREATE INDEX ON share (batch, share) WHERE owner IS NOT NULL;
  CREATE INDEX ON share (batch) WHERE tallies IS NULL;
  CREATE FUNCTION mark_goes_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.mark < OLD.mark OR NEW.letGo < OLD.letGo OR NEW.epoch < OLD.epoch THEN
      RAISE EXCEPTION 'a turn mark never goes back'; END IF;
    RETURN NEW; END $$;
  CREATE TRIGGER mark_goes_up BEFORE UPDATE ON share FOR EACH ROW EXECUTE FUNCTION mark_goes_up();

  -- of shares that nobody holds: rows that were let go from a folder, and the latest time of an answer. A commit of a share
  -- that is held does not come here: hosts would wait for each other
  CREATE TABLE past (folder text PRIMARY KEY, letGo bigint NOT NULL, lastAt bigint NOT NULL);
  CREATE FUNCTION count_past() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO past AS p (folder, letGo, lastAt)
      SELECT b.folder, NEW.letGo - NEW.counted, NEW.lastAt FROM batch b WHERE b.seq = NEW.batch
      ON CONFLICT (folder) DO UPDATE SET letGo = p.letGo + excluded.letGo, lastAt = greatest(p.lastAt, excluded.lastAt);
    NEW.counted := NEW.letGo;
    RETURN NEW; END $$;
  CREATE TRIGGER past BEFORE UPDATE ON share FOR EACH ROW WHEN (NEW.owner IS NULL AND NEW.counted <> NEW.letGo)
    EXECUTE FUNCTION count_past();

  CREATE TABLE rows (
    batch bigint NOT NULL, row int NOT NULL, share int NOT NULL, state text NOT NULL CHECK (state IN (${STATES})),
    turn bigint NOT NULL, operation text, option text, amount text, payment text COLLATE "C", payee text COLLATE "C",
    zeros int, reference text COLLATE "C", period text, payeeAs text COLLATE "C", referenceAs text, last4 text, employee text COLLATE "C", mobile text COLLATE "C",
    email text COLLATE "C", named text COLLATE "C", content text, retryBatch text, retryRow int, place bigint, size int, crc bigint,
    faults json, notices json, code text, reasons json, attempts int NOT NULL DEFAULT 0, httpStatus int,
    sentAt bigint, wentAt bigint, durationMs int, response text, settledBy text, lateAnswer text,
    PRIMARY KEY (batch, row),
    CHECK (state <> 'ready' OR (payment IS NOT NULL AND place IS NOT NULL))
  );
  CREATE UNIQUE INDEX ON rows (batch, share, turn) WHERE state = 'ready';
  CREATE INDEX ON rows (batch, row) WHERE state IN (${oneOf(WAITING_STATES)});
  CREATE INDEX ON rows (state, batch) WHERE state IN (${oneOf(WAITING_STATES)});
  CREATE INDEX ON rows (code, batch) WHERE state = 'rejected';
  CREATE INDEX ON rows (retryBatch, retryRow) WHERE retryBatch IS NOT NULL;

  CREATE TABLE key (key text COLLATE "C" NOT NULL, batch bigint NOT NULL, row int NOT NULL, isNamed boolean NOT NULL,
    PRIMARY KEY (key, batch, row));

  CREATE TABLE run (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, batch text NOT NULL, login text NOT NULL,
    host text NOT NULL, by text, startedAt bigint NOT NULL, endedAt bigint, exitCode int, requests int, stop text);
  CREATE INDEX ON run (batch);
  CREATE TABLE act (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at bigint NOT NULL, kind text NOT NULL,
    login text NOT NULL, host text NOT NULL, by text, batch text, rows json, "as" text, note text);
  CREATE INDEX ON act (batch);
  CREATE INDEX ON act (at);
  CREATE FUNCTION act_stays() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'acts are never changed or removed'; END $$;
  CREATE TRIGGER act_stays BEFORE UPDATE OR DELETE ON act FOR EACH ROW EXECUTE FUNCTION act_stays();

  CREATE TABLE source (path text NOT NULL, identity text NOT NULL, batch text NOT NULL, PRIMARY KEY (path, identity));
  CREATE TABLE hold (folder text PRIMARY KEY, reason text NOT NULL, at bigint NOT NULL);
  CREATE TABLE kept (kind text NOT NULL, name text COLLATE "C" NOT NULL, value json NOT NULL, PRIMARY KEY (kind, name));

  -- private copies, encrypted in pieces
  CREATE TABLE piece (sha256 text NOT NULL, piece int NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (sha256, piece));
  -- who is here; and what only one host does at a time: an inbox, a run of a batch
  -- witness: of its state directory
  CREATE TABLE host (host text PRIMARY KEY, name text NOT NULL, version text NOT NULL, since timestamptz NOT NULL,
    seenAt timestamptz NOT NULL, witness text);
  -- of each state directory that rows were sent from: commits that let rows go, as its own files tell of them too; isHere: a
  -- process of it may be sending, and has taken no leave; vouchedFor: the server that it found to have all of them
  CREATE TABLE witness (id text PRIMARY KEY, name text NOT NULL, commits bigint NOT NULL, isHere boolean NOT NULL,
    vouchedFor text NOT NULL) WITH (fillfactor = 50);
  CREATE TABLE lease (name text PRIMARY KEY, owner text NOT NULL, until timestamptz NOT NULL);
  -- of a destination: its row is locked while lanes are given out; nextAt: when the next request may start
  CREATE TABLE pace (destination text PRIMARY KEY, nextAt timestamptz NOT NULL DEFAULT clock_timestamp());
`;

/** SQL: sums as `{"ready": {"rows": 2, "amount": "100.5"}}` of the rows that are found, by a name of each. */
export const tallied = (name: string, found: string): string => `SELECT json_object_agg(t.name,
    json_build_object('rows', t.rows, 'amount', t.amount)) AS tallies
  FROM (SELECT ${name} AS name, count(*) AS rows, coalesce(sum(r.amount::numeric), 0)::text AS amount FROM ${found} GROUP BY 1) t`;
/** SQL: those of the share `s`, by their states. */
export const OF_SHARE: string = tallied(
  "r.state",
  "rows r WHERE r.batch = s.batch AND r.row BETWEEN s.firstRow AND s.lastRow",
);

/** SQL: by the clock that is the same for all hosts. */
export const IS_APPROVED = "b.approvedUntil > extract(epoch FROM clock_timestamp()) * 1000";
/** SQL: why nothing of the open batch `b` goes (`HoldOfBatch`). */
export const HOLD = `CASE WHEN EXISTS (
    SELECT 1 FROM hold h WHERE b.folder = h.folder OR starts_with(b.folder, h.folder || '/')) THEN 'folder_held'
  WHEN b.approvers > 0 AND NOT ${IS_APPROVED} THEN 'approval_wanted' END`;

/**
 * Outcomes in, and the marks of shares up, in one durable act (I2, I8): only where the host still holds the share with that
 * epoch. Each statement of it sees what was committed before it had the share's lock. `wanted`: `[{batch, share, epoch, no,
 * free}]`, `no` counts the commits of this holder; `changes`: moves of rows on their way, as `move_rows` takes them, with
 * their batch and share. Asked once more with the same number, as after a lost answer, it changes nothing and gives the same
 * rows; the lease is renewed, for they may leave by it. A share that is missing in the answer is another host's by now.
 */
const COMMIT = `
  CREATE FUNCTION commit_shares(wanted json, changes json, me text, lease interval) RETURNS json LANGUAGE plpgsql ${BY_INDEX} AS $$
  DECLARE w record; whole record; told int; proves boolean; halt json; heard json; found int; part json[]; answers json[] := '{}';
  BEGIN
    FOR w IN SELECT h.batch, array_agg(h.share) FILTER (WHERE h.isNew) AS fresh, json_agg(h) AS held FROM (
        SELECT s.batch, s.share, s.mark, s.markBefore, x.no, x.free, s.commitNo < x.no AS isNew
        FROM json_to_recordset(wanted) AS x(batch bigint, share int, epoch int, no int, free int)
        JOIN share s ON s.batch = x.batch AND s.share = x.share AND s.epoch = x.epoch AND s.owner = me
        ORDER BY s.batch, s.share FOR UPDATE OF s) h
      GROUP BY h.batch ORDER BY h.batch
    LOOP
      SELECT coalesce(sum(c.told), 0), bool_or(c.proves), (array_agg(c.halt) FILTER (WHERE c.halt IS NOT NULL))[1], json_agg(c)
        INTO told, proves, halt, heard FROM (
          SELECT c.share, count(*) AS told, count(*) FILTER (WHERE c.to = 'ready') AS again, bool_or(c.to = 'accepted') AS proves,
            max(c.sentAt + coalesce(c.durationMs, 0)) AS lastAt, (array_agg(c.stop) FILTER (WHERE c.stop IS NOT NULL))[1] AS halt
          FROM json_to_recordset(changes) AS c(batch bigint, share int, "to" text, sentAt bigint, durationMs int, stop json)
          WHERE c.batch = w.batch AND c.share = ANY(w.fresh) GROUP BY c.share) c;
      IF told > 0 THEN
        SELECT count(*) INTO found FROM move_rows(w.batch, changes, w.fresh);
        IF found <> told THEN RAISE EXCEPTION 'a row has an outcome, but was not on its way'; END IF;
      END IF;
      IF proves OR halt IS NOT NULL THEN
        UPDATE batch o SET isProven = o.isProven OR proves AND o.seq = w.batch, stop = coalesce(o.stop, halt)
          FROM (SELECT t.seq FROM batch t WHERE t.seq = ANY (ARRAY(SELECT w.batch UNION ALL
              SELECT a.seq FROM batch b JOIN batch a ON a.destination = b.destination
              WHERE b.seq = w.batch AND (halt ->> 'all')::boolean AND a.run IS NOT NULL))
              AND (t.seq <> w.batch OR halt IS NOT NULL OR NOT t.isProven)
            ORDER BY t.seq FOR NO KEY UPDATE OF t) locked WHERE o.seq = locked.seq;
      END IF;
      SELECT b.phase, b.stop, ${HOLD} AS hold, journal_gate() = 'open' AS passes INTO whole FROM batch b WHERE b.seq = w.batch;
      WITH go AS MATERIALIZED (
        SELECT h.share, h.no, h.isNew, l.leaving, l.last, l.rows, c.told, c.again, c.lastAt
        FROM json_to_recordset(w.held) AS h(share int, mark bigint, markBefore bigint, no int, free int, isNew boolean)
        LEFT JOIN json_to_recordset(heard) AS c(share int, told int, again int, lastAt bigint) ON c.share = h.share
        CROSS JOIN LATERAL (
          SELECT coalesce(json_agg(n ORDER BY n.turn), '[]') AS leaving, max(n.turn) AS last, count(*) AS rows FROM (
            SELECT r.row, r.turn, r.operation, r.amount, r.attempts, r.place, r.size, r.crc FROM rows r
            WHERE r.batch = w.batch AND r.share = h.share AND r.state = 'ready'
              AND r.turn > CASE WHEN h.isNew THEN h.mark ELSE h.markBefore END AND (h.isNew OR r.turn <= h.mark)
            ORDER BY r.turn LIMIT CASE WHEN NOT whole.passes THEN 0 WHEN NOT h.isNew THEN NULL
              WHEN whole.phase = 'open' AND whole.stop IS NULL AND whole.hold IS NULL THEN greatest(h.free, 0) ELSE 0 END) n) l
      ), gone AS (
        UPDATE share s SET mark = greatest(s.mark, go.last), letGo = s.letGo + CASE WHEN go.isNew THEN go.rows ELSE 0 END,
          markBefore = CASE WHEN go.isNew THEN s.mark ELSE s.markBefore END, commitNo = greatest(s.commitNo, go.no),
          nextTurn = s.nextTurn + coalesce(go.again, 0), lastAt = greatest(s.lastAt, go.lastAt),
          tallies = CASE WHEN go.told IS NULL AND go.rows = 0 THEN s.tallies END, leaseUntil = clock_timestamp() + lease
        FROM go WHERE s.batch = w.batch AND s.share = go.share
      ) SELECT array_agg(json_build_object('batch', w.batch, 'share', go.share, 'phase', whole.phase, 'hold', whole.hold,
          'stop', whole.stop, 'leaving', go.leaving)) INTO part FROM go;
      answers := answers || part;
    END LOOP;
    RETURN array_to_json(answers);
  END $$;
`;

/**
 * Whatever an owner left whose lease is over is nobody's: rows at or below the mark become unknown (I4), and the epoch goes
 * up, so that the owner, should it go on, moves and sends nothing more. A row that may have left counts as a try: that tells
 * it from the same one after a person let it go again. Not within one lease of the server's own start: then
 * nobody could renew. Gives the rows. Once it is known who takes over (`me`), that is an act of the history.
 * By folders: two hosts that take over count what is past in one order.
 */
const TAKE_OVER = `
  CREATE FUNCTION take_over(me json, at bigint, lease interval) RETURNS TABLE (batch text, "row" int) LANGUAGE plpgsql ${BY_INDEX} AS $$
  DECLARE o record; lost json; moved json;
  BEGIN
    IF pg_postmaster_start_time() + lease > clock_timestamp() THEN RETURN; END IF;
    FOR o IN SELECT s.batch AS seq, s.share, s.mark, b.id FROM share s JOIN batch b ON b.seq = s.batch
      WHERE s.owner IS NOT NULL AND s.leaseUntil < clock_timestamp() ORDER BY b.folder, s.batch, s.share FOR UPDATE OF s SKIP LOCKED
    LOOP
      UPDATE share s SET epoch = s.epoch + 1, owner = NULL, lanes = 0, takenOverAt = clock_timestamp(), commitNo = 0
        WHERE s.batch = o.seq AND s.share = o.share;
      SELECT json_agg(json_build_object('row', r.row, 'from', json_build_array('ready'), 'to', 'unknown', 'onItsWay', true,
        'code', 'interrupted', 'tries', 1)) INTO lost FROM rows r WHERE r.batch = o.seq AND r.share = o.share AND r.state = 'ready'
        AND r.turn <= o.mark;
      CONTINUE WHEN lost IS NULL;
      SELECT json_agg(m.row ORDER BY m.row) INTO moved FROM move_rows(o.seq, lost) m;
      UPDATE share s SET tallies = (${OF_SHARE}) WHERE s.batch = o.seq AND s.share = o.share;
      INSERT INTO act (at, kind, login, host, by, batch, rows)
        VALUES (at, 'recover', me ->> 'login', me ->> 'host', me ->> 'by', o.id, moved);
      RETURN QUERY SELECT o.id, v.value::int FROM json_array_elements_text(moved) v;
    END LOOP;
  END $$;
`;

/**
 * Gives a free share of a batch that is being sent, with as many lanes as are left of the destination's: those of all
 * shares that are held never exceed `concurrency`. Until a row of its run was accepted one share of one batch of the
 * destination goes alone. NULL: there is none.
 */
const CLAIM = `
  CREATE FUNCTION claim_share(me text, only_batch text, here text, world text, wanted int, concurrency int, lease interval)
    RETURNS json LANGUAGE plpgsql ${BY_INDEX} AS $$
  DECLARE c record; used int; gate text := journal_gate();
  BEGIN
    IF gate <> 'open' THEN RETURN json_build_object('gate', gate, 'server', server_now()); END IF;
    INSERT INTO pace (destination) VALUES (here) ON CONFLICT DO NOTHING;
    PERFORM 1 FROM pace p WHERE p.destination = here FOR UPDATE;
    SELECT coalesce(sum(s.lanes), 0) INTO used FROM share s JOIN batch b ON b.seq = s.batch
      WHERE s.owner IS NOT NULL AND b.destination = here;
    IF used >= concurrency THEN RETURN NULL; END IF;
    SELECT b.id, b.isProven, s.batch, s.share, s.epoch, s.place INTO c FROM batch b JOIN share s ON s.batch = b.seq
      WHERE b.destination = here AND b.environment = world AND b.phase = 'open' AND b.stop IS NULL AND b.run IS NOT NULL
        AND ${HOLD} IS NULL AND (only_batch IS NULL OR b.id = only_batch) AND s.owner IS NULL
        AND (b.isProven OR NOT EXISTS (SELECT 1 FROM share s2 JOIN batch b2 ON b2.seq = s2.batch
          WHERE s2.owner IS NOT NULL AND b2.destination = here AND NOT b2.isProven))
        AND (SELECT true FROM rows r WHERE r.batch = s.batch AND r.share = s.share AND r.state = 'ready' AND r.turn > s.mark LIMIT 1)
      ORDER BY b.seq, s.share LIMIT 1 FOR UPDATE OF s SKIP LOCKED;
    IF NOT FOUND THEN RETURN NULL; END IF;
    UPDATE share s SET epoch = s.epoch + 1, owner = me, lanes = least(wanted, concurrency - used), commitNo = 0,
      leasedAt = clock_timestamp(), leaseUntil = clock_timestamp() + lease WHERE s.batch = c.batch AND s.share = c.share;
    RETURN json_build_object('id', c.id, 'proven', c.isProven, 'batch', c.batch, 'share', c.share, 'epoch', c.epoch + 1,
      'place', c.place, 'lanes', least(wanted, concurrency - used));
  END $$;
`;

/**
 * A share that ends with a word: rows that were let go and did not leave get new turns. false: it is another host's by now, or
 * the journal may have forgotten outcomes: then it is left to its lease.
 */
const END = `
  CREATE FUNCTION end_share(of_batch bigint, of_share int, of_epoch int, me text) RETURNS boolean LANGUAGE plpgsql ${BY_INDEX} AS $$
  DECLARE s record; left_rows json;
  BEGIN
    SELECT * INTO s FROM share x WHERE x.batch = of_batch AND x.share = of_share AND x.epoch = of_epoch AND x.owner = me FOR UPDATE;
    IF NOT FOUND THEN RETURN false; END IF;
    SELECT json_agg(json_build_object('row', r.row, 'from', json_build_array('ready'), 'to', 'ready', 'onItsWay', true)
      ORDER BY r.turn) INTO left_rows FROM rows r WHERE r.batch = of_batch AND r.share = of_share AND r.state = 'ready'
      AND r.turn <= s.mark;
    IF left_rows IS NOT NULL AND journal_gate() <> 'open' THEN RETURN false; END IF;
    IF left_rows IS NOT NULL THEN PERFORM move_rows(of_batch, left_rows); END IF;
    UPDATE share x SET owner = NULL, lanes = 0, leaseUntil = NULL, tallies = (${OF_SHARE})
      WHERE x.batch = of_batch AND x.share = of_share;
    RETURN true;
  END $$;
`;

export const FUNCTIONS = `${TRUST} ${COMMIT} ${TAKE_OVER} ${CLAIM} ${END}`;
