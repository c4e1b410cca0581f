set memory_limit = '2GB';

-- The Monday with which the history begins, and the first sync, in the night of its last day.
create temp macro first_day() as cast(getvariable('first_day') as timestamp);
create temp macro first_sync() as cast(getvariable('first_sync') as timestamp);

create temp macro day_of(number) as
    first_day() + to_days(cast(number // 4 * 7 + [0, 1, 3, 5][number % 4 + 1] as integer));
create temp macro chance(what) as hash(what) % 10000 / 10000;
create temp macro stepped(kg) as round(kg / 2.5) * 2.5;
create temp macro grown(kg, number) as kg * (1 + number / 1500);
create temp macro record_id(what) as cast(cast(md5(cast(what as varchar)) as uuid) as varchar);
create temp macro stamp(moment) as strftime(moment, '%Y-%m-%dT%H:%M:%S.000Z');
-- As orjson writes it: a whole number without its point.
create temp macro json_number(x) as cast(
    if(x = floor(x), cast(cast(x as bigint) as varchar), cast(x as varchar)) as json
);
