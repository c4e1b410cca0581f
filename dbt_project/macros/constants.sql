{# All variables of the project, which dbt cannot list: with other values facts are other ones. #}
{% macro constants() %}
    {% set values = {} %}
    {% for name in [
        'as_of',
        'align.load_tolerance',
        'align.rep_cost',
        'align.match_cost_cap',
        'align.gap_cost',
        'e1rm.max_reps_eff',
        'e1rm.hard_max_reps_eff',
        'e1rm.tested_single_rpe_min',
        'e1rm.band80_le5',
        'e1rm.band80_6_8',
        'e1rm.band80_9_10',
        'e1rm.band80_11_12',
        'e1rm.pr_min_gain',
        'rpe.hard_set_min',
        'effort.easy_reserve_min',
        'effort.warm_up_reserve_min',
        'effort.maximum_days',
        'typo.far',
        'typo.alike',
        'typo.witnesses',
        'typo.ramp',
        'typo.alone_hi',
        'typo.alone_lo',
        'typo.count_hi',
        'typo.count_least',
        'typo.window',
        'typo.min_others',
        'context.own_place_days',
        'context.alike_reps',
        'increment.learn_min_uses',
        'deload.days',
        'duration.personal_min_n',
        'duration.window',
        'duration.min_minutes',
        'duration.max_minutes',
        'duration.min_sets',
        'dropoff.min_sets',
        'dropoff.min_reps',
        'dropoff.max_reps',
        'dropoff.min_n',
        'rir.calib_min_n',
        'rir.calib_prior_mean',
        'rir.calib_prior_sd',
        'rir.calib_obs_sd',
        'rir.calib_flag_bound',
        'stall.min_exposures',
        'stall.max_exposures',
        'stall.window_days',
        'stall.slope_threshold',
        'stall.confidence',
        'stall.fix_rpe_min',
        'stall.fix_low_reps',
        'stall.usual_noise',
        'stall.usual_drift',
        'stall.usual_weight',
        'publish.clock_drift',
        'match.title',
        'match.minimum',
        'volume.primary',
        'volume.secondary',
        'volume.dropset',
        'volume.low_below',
        'volume.high_from',
        'volume.check_above',
        'volume.landmarks',
        'day.begins_at',
        'display.ctl_days',
        'display.atl_days',
        'display.warm_up_weight',
        'srpe.hours',
        'recovery.week_back',
        'recovery.week_min_days',
        'recovery.baseline_from',
        'recovery.baseline_to',
        'recovery.baseline_min_days',
        'body.trend_back',
        'body.trend_day_weight',
        'body.change_back',
        'body.change_min_days',
        'body.change_min_count',
    ] %}
        {% do values.update({name: var(name)}) %}
    {% endfor %}
    {{ return(values) }}
{% endmacro %}

{# At the start of each run: refuse constants that the rules have no numbers for. #}
{% macro check_constants() %}
    {% set exposures = [var('stall.min_exposures'), var('stall.max_exposures')] %}
    {% if var('stall.confidence') != 0.8 or not 8 <= exposures[0] <= exposures[1] <= 16 %}
        {{ exceptions.raise_compiler_error(
            'The verdict on a trend knows stall.confidence 0.8 only, and from 8 to 16 exposures, '
            ~ 'stall.min_exposures not above stall.max_exposures.'
        ) }}
    {% endif %}
{% endmacro %}
