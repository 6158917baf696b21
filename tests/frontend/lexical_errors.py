# RUN: tile-lower %s --split --verify-diagnostics

from tilewright import *
N = dims("N")
@kernel
def mixed_tabs(x: Tensor[f32, N]):
    i = grid(N)
	# expected-error@+1 {{tabs and spaces are mixed}}
	x[i] = 0

# -----

from tilewright import *
N = dims("N")
@kernel
def dedents_to_nothing(x: Tensor[f32, N]):
    i = grid(N)
    if N > 3:
        x[i] = 0
      # expected-error@+1 {{the indentation of 6 matches no open block (the nearest has 4)}}
      x[i] = 1

# -----

# expected-error@+1 {{`(` is never closed}}
A = (1 + 2

# -----

# expected-error@+1 {{`]` closes nothing}}
A = 1]

# -----

A = (1,
     # expected-error@+1 {{`]` does not close the `(` of line 3}}
     2]

# -----

# expected-error@+1 {{the string is never closed}}
A = "abc

# -----

# expected-error@+1 {{the character `?` has no meaning here}}
A = 3 ? 4

# -----

# expected-error@+1 {{the character `é` has no meaning here}}
A = é

# -----

# expected-error@+1 {{f-strings are not supported: write a plain string}}
A = f"{1}"

# -----

# expected-error@+1 {{the string prefix `b` is not supported}}
A = b"1"

# -----

# expected-error@+1 {{`x` follows the number `12`}}
A = 12x

# -----

# expected-error@+1 {{`0b12` is not a number}}
A = 0b12

# -----

# expected-error@+1 {{the number `012` starts with a zero}}
A = 012

# -----

# expected-error@+1 {{the number `9223372036854775808` does not fit in 64 bits}}
A = 9223372036854775808

# -----

# expected-error@+1 {{the number `1e999` is too large}}
A = 1e999

# -----

from tilewright import *
N = dims("N")
@inline
def deep(x):
 if x:
  if x:
   if x:
    if x:
     if x:
      if x:
       if x:
        if x:
         if x:
          if x:
           if x:
            if x:
             if x:
              if x:
               if x:
                if x:
                 if x:
                  if x:
                   if x:
                    if x:
                     if x:
                      if x:
                       if x:
                        if x:
                         if x:
                          if x:
                           if x:
                            if x:
                             if x:
                              if x:
                               if x:
                                if x:
                                 if x:
                                  if x:
                                   if x:
                                    if x:
                                     if x:
                                      if x:
                                       if x:
                                        if x:
                                         if x:
                                          if x:
                                           if x:
                                            if x:
                                             if x:
                                              if x:
                                               if x:
                                                if x:
                                                 if x:
                                                  if x:
                                                   if x:
                                                    if x:
                                                     if x:
                                                      if x:
                                                       if x:
                                                        if x:
                                                         if x:
                                                          if x:
                                                           if x:
                                                            if x:
                                                             if x:
                                                              if x:
                                                               if x:
                                                                if x:
                                                                 if x:
                                                                  if x:
                                                                   if x:
                                                                    if x:
                                                                     if x:
                                                                      if x:
                                                                       if x:
                                                                        if x:
                                                                         if x:
                                                                          if x:
                                                                           if x:
                                                                            if x:
                                                                             if x:
                                                                              if x:
                                                                               if x:
                                                                                if x:
                                                                                 if x:
                                                                                  if x:
                                                                                   if x:
                                                                                    if x:
                                                                                     if x:
                                                                                      if x:
                                                                                       if x:
                                                                                        if x:
                                                                                         if x:
                                                                                          if x:
                                                                                           if x:
                                                                                            if x:
                                                                                             if x:
                                                                                              if x:
                                                                                               if x:
                                                                                                if x:
                                                                                                 if x:
                                                                                                  if x:
                                                                                                   if x:
                                                                                                    # expected-error@+1 {{blocks are nested more than 100 deep}}
                                                                                                    x

# -----

from tilewright import *
N = dims("N")
# expected-error@+1 {{brackets are nested more than 100 deep}}
A = (((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
