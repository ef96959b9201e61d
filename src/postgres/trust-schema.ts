import { BY_INDEX } from "../journal/states.ts";

/** The states of rows that the next run sends by itself; rejected ones for some reasons only. */
const BY_ITSELF = `(r.state IN ('ready', 'not_sent') OR r.state = 'rejected' AND r.code = ANY(rejected_for))`;

/**
 * Which server the journal trusts, and whether rows go (README §13, I12). In `meta`: `server`, the one that is trusted, with
 * `system` and `timeline`; `waitFrom` and `waitUntil`: after another one came nothing goes before the first, and before the
 * second only when all have vouched; `synchronous`: whether its commits waited for a standby; `lineage`: another one each time
 * that a loss was accepted, and `accepted:LINEAGE`, when; `loss`: a loss that was seen.
 */
export const TRUST = `
  -- since when it runs, the database, and the transaction that wrote this row: a copy or a dump has another one of them
  CREATE FUNCTION server_now() RETURNS text LANGUAGE sql STABLE AS $$
    SELECT concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()), d.oid, m.xmin)
      FROM pg_database d, meta m WHERE d.datname = current_database() AND m.key = 'fingerprint' $$;

  -- open, or why nothing goes: lost, other (nobody has looked at this server), waits (for hosts that have not vouched for it)
  CREATE FUNCTION journal_gate() RETURNS text LANGUAGE plpgsql STABLE AS $$
  DECLARE now_ms float8 := extract(epoch FROM clock_timestamp()) * 1000; known text; wait_from float8; wait_until float8; is_lost boolean;
  BEGIN
    SELECT max(m.value) FILTER (WHERE m.key = 'server'), max(m.value) FILTER (WHERE m.key = 'waitFrom'),
      max(m.value) FILTER (WHERE m.key = 'waitUntil'), coalesce(bool_or(m.key = 'loss'), false)
      INTO known, wait_from, wait_until, is_lost FROM meta m WHERE m.key IN ('server', 'waitFrom', 'waitUntil', 'loss');
    IF is_lost THEN RETURN 'lost'; END IF;
    IF known IS DISTINCT FROM server_now() THEN RETURN 'other'; END IF;
    IF wait_from > now_ms THEN RETURN 'waits'; END IF;
    IF wait_until > now_ms AND EXISTS (SELECT 1 FROM witness w WHERE w.isHere AND w.vouchedFor <> known)
      THEN RETURN 'waits'; END IF;
    RETURN 'open';
  END $$;

  -- counts a commit of a state directory, in its own transaction; nothing on another server than the host has looked at
  CREATE FUNCTION bear_witness(of_state text, of_host text, looked_at text) RETURNS json LANGUAGE plpgsql ${BY_INDEX} AS $$
  DECLARE borne json;
  BEGIN
    INSERT INTO witness AS w (id, name, commits, isHere, vouchedFor)
      SELECT of_state, of_host, 1, true, m.value FROM meta m
        WHERE m.key = 'server' AND m.value = looked_at AND m.value = server_now()
      ON CONFLICT (id) DO UPDATE SET commits = w.commits + 1, isHere = true, name = of_host, vouchedFor = excluded.vouchedFor
      RETURNING json_build_object('commits', w.commits, 'at', (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
        'lineage', (SELECT m.value FROM meta m WHERE m.key = 'lineage')) INTO borne;
    RETURN borne;
  END $$;

  -- a person goes on with a journal that has forgotten commits: whatever could go by itself may have gone, and is unknown
  CREATE FUNCTION accept_loss(me json, at bigint, what text, rejected_for text[]) RETURNS TABLE (batch text, "row" int)
    LANGUAGE plpgsql ${BY_INDEX} AS $$
  DECLARE b record; moves json; moved json;
  BEGIN
    FOR b IN SELECT o.seq, o.id FROM batch o WHERE EXISTS (SELECT 1 FROM share s WHERE s.batch = o.seq AND s.owner IS NOT NULL)
        OR o.phase IN ('open', 'paused') AND (o.approvers = 0 OR o.approvedUntil > 0)
          AND EXISTS (SELECT 1 FROM rows r WHERE r.batch = o.seq AND ${BY_ITSELF}) ORDER BY o.seq
    LOOP
      PERFORM 1 FROM share s WHERE s.batch = b.seq ORDER BY s.share FOR UPDATE;
      SELECT json_agg(json_build_object('row', r.row, 'from', json_build_array(r.state), 'to', 'unknown', 'onItsWay',
          r.state = 'ready' AND r.turn <= s.mark, 'code', 'commit_lost',
          'tries', CASE r.state WHEN 'ready' THEN 1 END) ORDER BY r.row) INTO moves
        FROM rows r JOIN share s ON s.batch = r.batch AND s.share = r.share JOIN batch o ON o.seq = r.batch
        WHERE r.batch = b.seq AND ${BY_ITSELF} AND (o.phase IN ('open', 'paused') OR r.state = 'ready' AND r.turn <= s.mark);
      IF moves IS NOT NULL THEN
        SELECT json_agg(m.row ORDER BY m.row) INTO moved FROM move_rows(b.seq, moves) m;
        INSERT INTO act (at, kind, login, host, by, batch, rows, note)
          VALUES (at, 'accept_lost_journal', me ->> 'login', me ->> 'host', me ->> 'by', b.id, moved, what);
        RETURN QUERY SELECT b.id, v.value::int FROM json_array_elements_text(moved) v;
      END IF;
      -- who held one before moves nothing more
      UPDATE share s SET epoch = s.epoch + 1, owner = NULL, lanes = 0, leaseUntil = NULL, takenOverAt = clock_timestamp(),
        commitNo = 0 WHERE s.batch = b.seq;
    END LOOP;
    INSERT INTO meta (key, value) SELECT 'accepted:' || m.value, at::text FROM meta m WHERE m.key = 'lineage'
      ON CONFLICT DO NOTHING;
    UPDATE meta SET value = md5(value || at || random()) WHERE key = 'lineage';
    DELETE FROM meta WHERE key IN ('loss', 'waitFrom', 'waitUntil');
    UPDATE meta SET value = server_now() WHERE key = 'server';
    UPDATE witness SET isHere = false, vouchedFor = server_now();
  END $$;
`;
