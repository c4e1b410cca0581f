with muscle_groups as (
    select * from {{ ref('muscle_groups') }}
),

landmarks as (
    select * from {{ ref('muscle_landmarks') }}
    where concat_ws(' ', source, year) = '{{ var("volume.landmarks") }}'
)

select
    muscle_groups.muscle_group as muscle_group_key,
    muscle_groups.muscle_group,
    muscle_groups.movement,
    muscle_groups.region,
    landmarks.muscle as landmark_muscle,
    landmarks.mv,
    landmarks.mev,
    landmarks.mav_low,
    landmarks.mav_high,
    landmarks.mrv,
    nullif(concat_ws(' ', landmarks.source, landmarks.year), '') as landmark_version
from muscle_groups
left join landmarks on muscle_groups.landmark_muscle = landmarks.muscle
