{% for mart in [
    ref('fct_consistency_week'),
    ref('fct_exercise_session'),
    ref('fct_exercise_trend'),
    ref('fct_muscle_week'),
    ref('fct_personal_constant'),
    ref('fct_personal_record'),
    ref('fct_plan_compliance'),
    ref('fct_prescription_outcome'),
    ref('fct_set'),
    ref('fct_training_load_day'),
    ref('fct_workout'),
] %}
    {{ rows_without_end(mart) }}
    {{ 'union all' if not loop.last }}
{% endfor %}
