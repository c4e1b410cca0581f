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
        'typo.hi',
        'typo.lo',
        'typo.window',
        'typo.min_others',
        'increment.learn_min_uses',
        'duration.personal_min_n',
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
        'interval.min_residuals',
        'match.title',
        'match.minimum',
    ] %}
        {% do values.update({name: var(name)}) %}
    {% endfor %}
    {{ return(values) }}
{% endmacro %}
