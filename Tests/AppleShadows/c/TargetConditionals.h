// Apple's TargetConditionals.h for `.ci/apple-check`, which has decided its conditions already.
